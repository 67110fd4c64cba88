package io.holdfast.jdbc;

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
class JdbcArchitectureTests {

	private static final String PACKAGE = "io.holdfast.jdbc";

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(PACKAGE);

	@Test
	void classesHaveNoCycles() {
		slices().assignedFrom(new ClassesWithoutCycles(PACKAGE)).should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void onlyTheAutoConfigurationIsPublic() {
		noClasses().that()
			.arePublic()
			.and()
			.areTopLevelClasses()
			.and()
			.haveSimpleNameNotEndingWith("AutoConfiguration")
			.should()
			.bePublic()
			.allowEmptyShould(true)
			.check(this.classes);
	}

	@Test
	void onlyRulesAndEngineAreKnownBesidesTheWiring() {
		noClasses().that()
			.haveNameNotMatching(".*[.]JdbcLocks\\w*AutoConfiguration[\\w$]*")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.holdfast.autoconfigure", "io.holdfast.redis..", "io.holdfast.local",
					"io.holdfast.aop", "io.holdfast.actuate")
			.check(this.classes);
	}

	@Test
	void onlyClassesOfTheirNameKnowDriversAndPools() {
		noClasses().that()
			.haveNameNotMatching(".*[.$](PostgresMessages|ConnectionSource[$]Hikari)")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.postgresql..", "com.zaxxer..")
			.check(this.classes);
	}

	@Test
	void beansAreNamedAfterHoldfast() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.haveNameMatching("holdfast[A-Z]\\w+")
			.allowEmptyShould(true)
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
