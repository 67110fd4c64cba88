package io.holdfast;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.PackageMatchers;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/**
 * The classes of some packages, each with those nested in it.
 */
class ClassesWithoutCycles implements SliceAssignment {

	private final String[] packages;

	/**
	 * Assign classes to slices.
	 * @param packages patterns of the packages
	 */
	ClassesWithoutCycles(String... packages) {
		this.packages = packages;
	}

	@Override
	public SliceIdentifier getIdentifierOf(JavaClass type) {
		if (!PackageMatchers.of(this.packages).test(type.getPackageName())) {
			return SliceIdentifier.ignore();
		}
		return SliceIdentifier.of(type.getPackageName(), topLevel(type).getSimpleName());
	}

	private static JavaClass topLevel(JavaClass type) {
		return type.getEnclosingClass().map(ClassesWithoutCycles::topLevel).orElse(type);
	}

	@Override
	public String getDescription() {
		return "classes of " + String.join(", ", this.packages);
	}

}
