package io.holdfast.aspectj;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Whom woven code may know.
 */
@Tag("any-jdk")
class AspectJArchitectureTests {

	@Test
	void knowsTheAnnotationAtWorkAndNoMore() {
		noClasses().should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.holdfast.autoconfigure..", "io.holdfast.engine..", "io.holdfast.redis..",
					"io.holdfast.local..", "io.holdfast.actuate..")
			.check(new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
				.importPackages("io.holdfast.aspectj"));
	}

}
