package io.holdfast;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.holdfast.engine.DaemonThreads;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may know whom.
 */
@Tag("any-jdk")
@TestInstance(Lifecycle.PER_CLASS)
class ArchitectureTests {

	private static final String[] PACKAGES = { "io.holdfast", "io.holdfast.engine", "io.holdfast.redis",
			"io.holdfast.redis.connection", "io.holdfast.local", "io.holdfast.rules", "io.holdfast.aop",
			"io.holdfast.actuate", "io.holdfast.integration", "io.holdfast.shedlock", "io.holdfast.autoconfigure" };

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.holdfast");

	@Test
	void packagesUseOnlyThoseBelowThem() {
		onlyUsersOf("autoconfigure");
		for (String name : List.of("integration", "shedlock", "actuate", "aop", "redis", "local")) {
			onlyUsersOf(name, "autoconfigure");
		}
		onlyUsersOf("rules", "local");
		onlyUsersOf("engine", "autoconfigure", "actuate", "aop", "redis", "local", "rules", "integration", "shedlock");
	}

	private void onlyUsersOf(String name, String... users) {
		String[] itsUsers = Stream.concat(Stream.of(name), Stream.of(users))
			.map((user) -> "io.holdfast." + user + "..")
			.toArray(String[]::new);
		noClasses().that()
			.resideOutsideOfPackages(itsUsers)
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.holdfast." + name + "..")
			.check(this.classes);
	}

	@Test
	void publicApiNamesNothingElseInItsSignatures() {
		PublicApi api = new PublicApi();
		classes().that(api).should(api.beNamedAloneInSignatures()).check(this.classes);
		for (Class<?> type : PublicApi.EXTENSION_POINTS) {
			assertThat(this.classes.get(type)).matches(api);
		}
	}

	/**
	 * Also of those that only some applications have.
	 */
	@Test
	void beansAreNamedAfterHoldfastOrTheirPath() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.haveNameMatching("holdfast[A-Z]\\w+|locksEndpoint|locksHealthIndicator")
			.check(this.classes);
	}

	@Test
	void rulesKnowOnlyWhatStoresAreAsked() {
		noClasses().that()
			.resideInAPackage("io.holdfast.rules")
			.should()
			.dependOnClassesThat(resideInAPackage("io.holdfast.engine")
				.and(not(nameMatching(".*\\.(LockStore|StoreView)(\\$\\w+)?"))))
			.check(this.classes);
	}

	@Test
	void onlyWiringAndOnePackageKnowALibrary() {
		onlyWiringAnd("redis..", "org.springframework.data..", "redis.clients..", "io.lettuce..");
		onlyWiringAnd("actuate", "org.springframework.boot.health..", "org.springframework.boot.actuate..");
		onlyWiringAnd("integration", "org.springframework.integration..");
		onlyWiringAnd("shedlock", "net.javacrumbs.shedlock..");
		onlyClassesOfItsNameKnow("Jedis", "redis.clients..");
		onlyClassesOfItsNameKnow("Lettuce", "io.lettuce..");
	}

	private void onlyWiringAnd(String name, String... library) {
		noClasses().that()
			.resideOutsideOfPackages("io.holdfast." + name, "io.holdfast.autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(library)
			.check(this.classes);
	}

	private void onlyClassesOfItsNameKnow(String client, String itsPackages) {
		noClasses().that()
			.haveNameNotMatching(".*[.$]" + client + "[\\w$]*")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(itsPackages)
			.check(this.classes);
	}

	/**
	 * Others would inherit thread-locals and the context class loader of the caller who
	 * happens to start them.
	 */
	@Test
	void threadsAreMadeInOnePlace() {
		noClasses().that()
			.doNotHaveFullyQualifiedName(DaemonThreads.class.getName())
			.should()
			.callConstructorWhere(target(owner(assignableTo(Thread.class))))
			.orShould()
			.callMethodWhere(target(owner(equivalentTo(Executors.class))))
			.orShould()
			.callConstructor(ThreadPoolExecutor.class, int.class, int.class, long.class, TimeUnit.class,
					BlockingQueue.class)
			.orShould()
			.callConstructor(ScheduledThreadPoolExecutor.class, int.class)
			.orShould()
			.callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
			.orShould()
			.callMethod(CompletableFuture.class, "orTimeout", long.class, TimeUnit.class)
			.check(this.classes);
	}

	@Test
	void onlyWiringAndWhatOperatorsSeeKnowMicrometer() {
		noClasses().that()
			.resideOutsideOfPackages("io.holdfast.actuate", "io.holdfast.autoconfigure")
			.and()
			.haveNameNotMatching(".*[.](LockTemplate|RequestContext|SectionObservation)[\\w$]*")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.micrometer..")
			.check(this.classes);
	}

	@Test
	void nothingKnowsAspectJ() {
		noClasses().should().dependOnClassesThat().resideInAnyPackage("org.aspectj..").check(this.classes);
	}

	@Test
	void onlyWhatIsLoadedForTransactionsKnowsThem() {
		noClasses().that()
			.haveNameNotMatching(".*[.](TransactionBoundHandle|ReactiveTransaction|CommitGuard)[\\w$]*")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.transaction..")
			.check(this.classes);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching("io.holdfast.(**)").should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void classesOfAPackageHaveNoCycles() {
		slices().assignedFrom(new ClassesWithoutCycles("io.holdfast..")).should().beFreeOfCycles().check(this.classes);
	}

	@Test
	void everyPackageIsNullMarked() {
		assertThat(this.classes.stream().map((type) -> type.getPackageName()).distinct())
			.containsExactlyInAnyOrder(PACKAGES);
		for (String name : PACKAGES) {
			assertThat(this.classes.getPackage(name).isAnnotatedWith(NullMarked.class)).as(name).isTrue();
		}
	}

	@Test
	void nothingIsStaticAndMutable() {
		classes().should(new NoMutableStaticState()).check(this.classes);
	}

}
