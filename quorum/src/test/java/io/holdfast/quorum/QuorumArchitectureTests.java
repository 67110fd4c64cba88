package io.holdfast.quorum;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.holdfast.ClassesWithoutCycles;
import io.holdfast.NoMutableStaticState;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may know whom in this module.
 */
@Tag("any-jdk")
class QuorumArchitectureTests {

	private static final String PACKAGE = "io.holdfast.quorum";

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(PACKAGE);

	@Test
	void classesHaveNoCycles() {
		slices().assignedFrom(new ClassesWithoutCycles(PACKAGE)).should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void onlyTheAutoConfigurationIsPublic() {
		classes().that()
			.arePublic()
			.and()
			.areTopLevelClasses()
			.should()
			.haveFullyQualifiedName(QuorumAutoConfiguration.class.getName())
			.check(this.classes);
	}

	@Test
	void onlyWiringKnowsTheWiringOfOtherStores() {
		noClasses().that()
			.haveNameNotMatching(".*[.](QuorumAutoConfiguration|RedisNode)[\\w$]*")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.holdfast.autoconfigure")
			.check(this.classes);
	}

	@Test
	void beansAreNamedAfterHoldfast() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.haveNameMatching("holdfast[A-Z]\\w+")
			.check(this.classes);
	}

	@Test
	void packageIsNullMarked() {
		assertThat(this.classes.getPackage(PACKAGE).isAnnotatedWith(NullMarked.class)).isTrue();
	}

	@Test
	void nothingIsStaticAndMutable() {
		classes().should(new NoMutableStaticState()).check(this.classes);
	}

}
