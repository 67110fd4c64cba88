package io.holdfast;

import java.util.Map;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.PackageMatchers;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/**
 * The classes of some packages, each with those nested in it. A class that is made by
 * another one may count as a part of that.
 */
class ClassesWithoutCycles implements SliceAssignment {

	/**
	 * The simple names of classes that are parts of another one, and that one's.
	 */
	private static final Map<String, String> PARTS = Map.of();

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
		String name = type.getName().substring(type.getPackageName().length() + 1).split("\\$")[0];
		return SliceIdentifier.of(type.getPackageName(), PARTS.getOrDefault(name, name));
	}

	@Override
	public String getDescription() {
		return "classes of " + String.join(", ", this.packages);
	}

}
