package io.holdfast;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
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
		layeredArchitecture().consideringOnlyDependenciesInLayers()
			.layer("autoconfigure")
			.definedBy("io.holdfast.autoconfigure")
			.layer("integration")
			.definedBy("io.holdfast.integration")
			.layer("shedlock")
			.definedBy("io.holdfast.shedlock")
			.layer("actuate")
			.definedBy("io.holdfast.actuate")
			.layer("aop")
			.definedBy("io.holdfast.aop")
			.layer("redis")
			.definedBy("io.holdfast.redis..")
			.layer("local")
			.definedBy("io.holdfast.local")
			.layer("rules")
			.definedBy("io.holdfast.rules")
			.layer("engine")
			.definedBy("io.holdfast.engine")
			.layer("api")
			.definedBy("io.holdfast")
			.whereLayer("autoconfigure")
			.mayNotBeAccessedByAnyLayer()
			.whereLayer("integration")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("shedlock")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("actuate")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("aop")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("redis")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("local")
			.mayOnlyBeAccessedByLayers("autoconfigure")
			.whereLayer("rules")
			.mayOnlyBeAccessedByLayers("local")
			.whereLayer("engine")
			.mayOnlyBeAccessedByLayers("autoconfigure", "actuate", "aop", "redis", "local", "rules", "integration",
					"shedlock")
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
	void onlyTheStoreOnRedisKnowsRedis() {
		noClasses().that()
			.resideOutsideOfPackages("io.holdfast.redis..", "io.holdfast.autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.data..", "redis.clients..", "io.lettuce..")
			.check(this.classes);
		onlyClassesOfItsNameKnow("Jedis", "redis.clients..");
		onlyClassesOfItsNameKnow("Lettuce", "io.lettuce..");
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
	void onlyWiringAndHealthKnowSpringBootsActuator() {
		noClasses().that()
			.resideOutsideOfPackages("io.holdfast.actuate", "io.holdfast.autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.boot.health..", "org.springframework.boot.actuate..")
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
	void onlyItsAdapterKnowsAnotherLibrarysLocks() {
		onlyWiringAnd("integration", "org.springframework.integration..");
		onlyWiringAnd("shedlock", "net.javacrumbs.shedlock..");
	}

	private void onlyWiringAnd(String adapter, String itsLibrary) {
		noClasses().that()
			.resideOutsideOfPackages("io.holdfast." + adapter, "io.holdfast.autoconfigure")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(itsLibrary)
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
