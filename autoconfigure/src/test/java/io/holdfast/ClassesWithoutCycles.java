package io.holdfast;

import java.util.Map;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.PackageMatchers;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/**
 * The classes of some packages, each with those nested in it and those that it makes.
 */
public class ClassesWithoutCycles implements SliceAssignment {

	/**
	 * Classes that know what has made them, and who has.
	 */
	private static final Map<String, String> MADE_BY = Map.of("Line", "Lines", "Acquisition", "Lines", "Claimant",
			"Lines", "LineState", "Lines", "Sections", "Lines", "Entry", "Hold", "Entries", "Hold", "SystemRuntime",
			"EngineRuntime");

	private final String[] packages;

	/**
	 * Assign classes to slices.
	 * @param packages patterns of the packages
	 */
	public ClassesWithoutCycles(String... packages) {
		this.packages = packages;
	}

	@Override
	public SliceIdentifier getIdentifierOf(JavaClass type) {
		if (!PackageMatchers.of(this.packages).test(type.getPackageName())) {
			return SliceIdentifier.ignore();
		}
		String name = topLevel(type).getSimpleName();
		return SliceIdentifier.of(type.getPackageName(), MADE_BY.getOrDefault(name, name));
	}

	private static JavaClass topLevel(JavaClass type) {
		return type.getEnclosingClass().map(ClassesWithoutCycles::topLevel).orElse(type);
	}

	@Override
	public String getDescription() {
		return "classes of " + String.join(", ", this.packages);
	}

}
