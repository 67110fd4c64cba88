package io.holdfast.autoconfigure;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.DistributedLock;
import io.holdfast.LockHandle;
import io.holdfast.LockListener;
import io.holdfast.LockLostEvent;
import io.holdfast.LockLostException;
import io.holdfast.LockRegistry;
import io.holdfast.LockRequest;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.LockUnavailableException;
import io.holdfast.ReleaseResult;
import io.holdfast.test.RecordedLog;
import io.holdfast.test.RedisProcess;
import io.holdfast.test.Threads;
import io.holdfast.test.WorkerProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What users of other libraries have reported, tried here. The reports are listed in
 * {@code docs/reliability.md}.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("any-jdk")
@Tag("slow")
class ReportsOfOtherLibrariesTests {

	private static final LockRequest ONE_TRY = LockRequest.of("k").waitFor(Duration.ZERO);

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static ApplicationContextRunner application(String client, RedisProcess server) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.port=" + server.port(),
					"spring.data.redis.timeout=5s", "holdfast.wait-for=1m");
	}

	private static void locksArePassedOn(LockTemplate template) {
		try (LockHandle held = template.acquire("k")) {
			assertThat(held.extend(Duration.ofMinutes(1))).isTrue();
			var next = Threads.start(() -> {
				try (LockHandle lock = template.acquire("k")) {
					return lock.fencingToken();
				}
			});
			long token = held.fencingToken();
			assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
			assertThat(Threads.join(next)).isGreaterThan(token);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void locksNeedNoCommandThatProxiesLeaveOut(String client) {
		String[] without = Stream.of("hello", "client", "info", "config", "select", "scan", "script", "subscribe")
			.flatMap((command) -> Stream.of("--rename-command", command, ""))
			.toArray(String[]::new);
		try (RedisProcess server = new RedisProcess(without)) {
			server.start();
			application(client, server).run((context) -> locksArePassedOn(context.getBean(LockTemplate.class)));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void serverWithoutScriptsIsNamedAtOnce(String client) {
		try (RedisProcess server = new RedisProcess("--rename-command", "eval", "")) {
			server.start();
			application(client, server).run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("k"))
				.withMessageContaining("it lacks a command that locks need, ERR unknown command 'EVAL'"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void scriptOfOthersThatDoesNotEndIsAnOutage(String client) {
		try (RedisProcess server = new RedisProcess("--busy-reply-threshold", "50")) {
			server.start();
			application(client, server).run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockHandle held = template.acquire("held");
				var script = Threads.start(() -> runScriptThatDoesNotEnd(server));
				await().untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire(ONE_TRY).ifPresent(LockHandle::release))
					.withMessageContaining("BUSY"));
				var waiter = Threads.start(() -> template.acquire(LockRequest.of("k").ownedByHandle()));
				try (Jedis jedis = server.connect()) {
					jedis.scriptKill();
				}
				assertThat(Threads.join(script)).contains("killed");
				assertThat(Threads.join(waiter).release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
			});
		}
	}

	private static String runScriptThatDoesNotEnd(RedisProcess server) {
		try (Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
			return String.valueOf(jedis.eval("while true do end"));
		}
		catch (RuntimeException ex) {
			return String.valueOf(ex.getMessage());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void connectionThatRedisClosesWhenItIsIdleCostsNoCall(String client) {
		try (RedisProcess server = new RedisProcess("--timeout", "1")) {
			server.start();
			application(client, server).run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				for (int i = 0; i < 2; i++) {
					assertThat(template.tryAcquire(ONE_TRY)).hasValueSatisfying(LockHandle::release);
					Set<String> used = clients(server);
					await().untilAsserted(() -> assertThat(clients(server)).noneMatch(used::contains));
				}
				assertThat(template.tryAcquire(ONE_TRY)).isPresent();
			});
		}
	}

	private static Set<String> clients(RedisProcess server) {
		try (Jedis jedis = server.connect()) {
			return jedis.clientList()
				.lines()
				.filter((line) -> line.contains("cmd=eval"))
				.map((line) -> line.substring(0, line.indexOf(' ')))
				.collect(Collectors.toSet());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void lockIsNotQueuedInTheTransactionOfARedisTemplate(String client) {
		String queued = "queued-" + client;
		application(client, redis).withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class))
			.withBean(PlatformTransactionManager.class,
					() -> new JdbcTransactionManager(
							new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).build()))
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				StringRedisTemplate data = new StringRedisTemplate(context.getBean(RedisConnectionFactory.class));
				data.setEnableTransactionSupport(true);
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				transaction.executeWithoutResult((status) -> {
					data.opsForValue().set(queued, "yes");
					template.executeWithoutResult("k", (lock) -> {
						assertThat(lock.extend(Duration.ofMinutes(1))).isTrue();
						assertThat(Threads.call(() -> template.tryAcquire(ONE_TRY))).isEmpty();
					});
					assertThat(Threads.call(() -> data.hasKey(queued))).isFalse();
				});
				assertThat(data.opsForValue().get(queued)).isEqualTo("yes");
				assertThat(template.tryAcquire(ONE_TRY)).isPresent();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void serverMayHaveAnAddressOfIpv6(String client) {
		assumeTrue(isIpv6There(), "no IPv6 here");
		try (RedisProcess server = new RedisProcess("--bind", "127.0.0.1", "::1")) {
			server.start();
			application(client, server).withPropertyValues("spring.data.redis.host=::1")
				.run((context) -> locksArePassedOn(context.getBean(LockTemplate.class)));
			application(client, server)
				.withPropertyValues("spring.data.redis.url=redis://[0:0:0:0:0:0:0:1]:" + server.port())
				.run((context) -> locksArePassedOn(context.getBean(LockTemplate.class)));
		}
	}

	private static boolean isIpv6There() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
			return socket.isBound();
		}
		catch (Exception ex) {
			return false;
		}
	}

	@Test
	void locksMayBeInitializedLazily() {
		application("jedis", redis).withBean(Job.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(context.getBean(Job.class).lockedKeys()).containsExactly("job");
				LockHandle held = context.getBean(LockTemplate.class)
					.acquireAsync(LockRequest.of("late"))
					.get(1, TimeUnit.MINUTES);
				CountDownLatch closed = new CountDownLatch(1);
				context.getSourceApplicationContext()
					.addApplicationListener((ApplicationListener<ContextClosedEvent>) (event) -> closed.countDown());
				var closing = Threads.start(() -> {
					context.getSourceApplicationContext().close();
					return held.isHeld();
				});
				Threads.await(closed);
				assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
				assertThat(Threads.join(closing)).isFalse();
			});
	}

	// In a JVM of its own, as Spring reads the property only once
	@Test
	void keysMayHaveValuesOfSeveralTypesWhereExpressionsAreCompiled() throws Exception {
		assertThat(WorkerProcess.outcome(CompilingApplication.class, new String[0])).isEqualTo("1, 2, 3, 4");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void applicationWhoseMainMethodEndsEnds(String client) throws Exception {
		assertThat(WorkerProcess.outcome(EndingApplication.class, new String[0], client, String.valueOf(redis.port())))
			.isEqualTo("main ends");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void startupThatFailsLeavesNothing(String client) {
		Set<Thread> before = threadsOfLocks();
		try (RecordedLog log = new RecordedLog()) {
			application(client, redis).withBean(FailsToStart.class)
				.withBean(NotYetThere.class)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessage("holds startup, startup-too"));
			assertThat(log.lines("threw an exception")).isEmpty();
		}
		await().untilAsserted(() -> assertThat(threadsOfLocks()).isSubsetOf(before));
		await().untilAsserted(() -> assertThat(clients(redis)).isEmpty());
		try (Jedis jedis = redis.connect()) {
			assertThat(jedis.exists("holdfast:{startup}", "holdfast:{startup-too}")).isZero();
		}
	}

	private static Set<Thread> threadsOfLocks() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("holdfast"))
			.collect(Collectors.toSet());
	}

	@Test
	void noBeanIsCreatedBeforeTheProxies(CapturedOutput output) {
		application("jedis", redis)
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
					HoldfastMetricsAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withBean(Job.class)
			.run((context) -> assertThat(context.getBean(Job.class).lockedKeys()).containsExactly("job"));
		assertThat(output).doesNotContain("is not eligible for getting processed by all BeanPostProcessors");
	}

	@Test
	void objectsOfOneBeanMayBeOfSeveralClasses() {
		Iterator<Task> tasks = List.of(new UnlockedTask(), new LockedTask(), new UnlockedTask(), new LockedTask())
			.iterator();
		application("jedis", redis)
			.withBean("task", Task.class, tasks::next, (definition) -> definition.setScope("prototype"))
			.run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				for (int i = 0; i < 2; i++) {
					assertThat(context.getBean(Task.class).run(() -> keys(locks))).isEmpty();
					assertThat(context.getBean(Task.class).run(() -> keys(locks))).containsExactly("task");
				}
			});
	}

	@Test
	void expiryThatWasRemovedComesBackWithARenewal() {
		application("jedis", redis).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle held = template.acquire(LockRequest.of("persisted").lease(Duration.ofSeconds(6)));
					Jedis jedis = redis.connect()) {
				assertThat(jedis.persist("holdfast:{persisted}")).isOne();
				await().until(() -> jedis.pttl("holdfast:{persisted}") > 0);
				assertThat(held.isHeld()).isTrue();
			}
		});
	}

	@Test
	void lockOfADeadHolderWithoutExpiryIsReleasedByForce() {
		application("jedis", redis).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest request = ONE_TRY.ownedByHandle().autoRenew(false);
			LockHandle lost = template.acquire(request);
			try (Jedis jedis = redis.connect()) {
				assertThat(jedis.persist("holdfast:{k}")).isOne();
			}
			assertThat(lost.isHeld()).isTrue();
			assertThat(template.forceRelease("k")).isTrue();
			await().until(() -> template.tryExecuteWithoutResult(request, (lock) -> {
			}));
		});
	}

	@Test
	void lossIsToldToListenersAndIsNoEventOfATransaction() {
		application("jedis", redis).withUserConfiguration(LossListeners.class).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.acquire(ONE_TRY.ownedByHandle());
			assertThat(template.forceRelease("k")).isTrue();
			LossListeners listeners = context.getBean(LossListeners.class);
			await().untilAsserted(() -> assertThat(listeners.heard).containsExactly("k"));
			await().untilAsserted(
					() -> assertThat(listeners.told.get(List.of("k"))).isInstanceOf(LockLostException.class));
		});
	}

	private static List<String> keys(LockRegistry locks) {
		return locks.held().stream().flatMap((lock) -> lock.keys().stream()).toList();
	}

	static class Job {

		@Autowired
		private LockRegistry locks;

		@DistributedLock("'job'")
		List<String> lockedKeys() {
			return keys(this.locks);
		}

	}

	interface Task {

		List<String> run(Supplier<List<String>> work);

	}

	static class UnlockedTask implements Task {

		@Override
		public List<String> run(Supplier<List<String>> work) {
			return work.get();
		}

	}

	static class LockedTask implements Task {

		@Override
		@DistributedLock("'task'")
		public List<String> run(Supplier<List<String>> work) {
			return work.get();
		}

	}

	static class FailsToStart {

		FailsToStart(LockTemplate template, LockRegistry locks) throws Exception {
			template.acquire("startup");
			template.acquireAsync(LockRequest.of("startup-too")).get(1, TimeUnit.MINUTES);
			throw new IllegalStateException("holds " + String.join(", ", keys(locks).stream().sorted().toList()));
		}

	}

	static class NotYetThere implements ApplicationListener<PayloadApplicationEvent<LockLostEvent>> {

		@Override
		public void onApplicationEvent(PayloadApplicationEvent<LockLostEvent> event) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class LossListeners implements LockListener {

		private final List<String> heard = new CopyOnWriteArrayList<>();

		private final Map<List<String>, Throwable> told = new ConcurrentHashMap<>();

		@Override
		public void onLost(LockSnapshot lock, Throwable cause) {
			this.told.put(lock.keys(), cause);
		}

		@Order(1)
		@TransactionalEventListener
		void hear(LockLostEvent event) {
			this.heard.add("in a transaction");
		}

		@Order(2)
		@TransactionalEventListener(fallbackExecution = true)
		void hearAlways(LockLostEvent event) {
			assertThat(event.cause()).isInstanceOf(LockLostException.class);
			this.heard.addAll(event.lock().keys());
		}

	}

	static final class CompilingApplication {

		private CompilingApplication() {
		}

		/**
		 * Lock keys of two types.
		 * @param args none
		 */
		public static void main(String[] args) {
			System.setProperty("spring.expression.compiler.mode", "immediate");
			List<String> locked = new ArrayList<>();
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(HoldfastAutoConfiguration.class))
				.withPropertyValues("holdfast.store=local")
				.withBean(Orders.class)
				.run((context) -> Stream.of(new Purchase("1"), new Item("2"), new Purchase("3"), new Item("4"))
					.forEach((record) -> locked.addAll(context.getBean(Orders.class).lockedKeys(record))));
			System.out.println(String.join(", ", locked));
		}

		record Purchase(String id) {
		}

		record Item(String id) {
		}

		static class Orders {

			@Autowired
			private LockRegistry locks;

			@DistributedLock("#record.id")
			List<String> lockedKeys(Record record) {
				return keys(this.locks);
			}

		}

	}

	static final class EndingApplication {

		private EndingApplication() {
		}

		/**
		 * Use locks in every way, and leave the application open.
		 * @param args the client, and the port of the server
		 */
		public static void main(String[] args) throws Exception {
			AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
			TestPropertyValues.of("spring.data.redis.client-type=" + args[0], "spring.data.redis.port=" + args[1])
				.applyTo(context);
			context.register(DataRedisAutoConfiguration.class, HoldfastAutoConfiguration.class);
			context.refresh();
			LockTemplate template = context.getBean(LockTemplate.class);
			LockRequest request = LockRequest.of("of-" + args[0]);
			template.acquireAsync(request).get(1, TimeUnit.MINUTES);
			template.tryAcquire(request.waitFor(Duration.ofMillis(300)));
			System.out.println("main ends");
		}

	}

}
