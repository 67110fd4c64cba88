package io.holdfast.actuate;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.holdfast.LockHandle;
import io.holdfast.test.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint as an MBean.
 */
@Tag("slow")
class LocksEndpointOverJmxTests {

	@RegisterExtension
	static final RedisProcess redis = new RedisProcess();

	private static final String DOMAIN = "holdfast." + UUID.randomUUID();

	private static final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

	private static LocksApplication shop;

	@BeforeAll
	static void startApplication() {
		shop = LocksApplication.start("shop", "spring.data.redis.port=" + redis.port(), "spring.jmx.enabled=true",
				"management.endpoints.jmx.domain=" + DOMAIN, "management.endpoints.jmx.exposure.include=locks");
	}

	@AfterAll
	static void stopApplication() {
		shop.close();
	}

	private static Object call(String operation, @Nullable Object... arguments) throws JMException {
		ObjectName name = new ObjectName(DOMAIN + ":type=Endpoint,name=Locks");
		MBeanOperationInfo info = Stream.of(server.getMBeanInfo(name).getOperations())
			.filter((each) -> each.getName().equals(operation))
			.findFirst()
			.orElseThrow();
		String[] types = Stream.of(info.getSignature()).map(MBeanParameterInfo::getType).toArray(String[]::new);
		return server.invoke(name, operation, arguments, types);
	}

	private static List<?> keys(Object answer) {
		return ((List<?>) ((Map<?, ?>) answer).get("locks")).stream()
			.<Object>map((lock) -> ((Map<?, ?>) lock).get("key"))
			.toList();
	}

	@ParameterizedTest
	@ValueSource(strings = { "k", "a/b", "a,b", "a//b", "ä ✓", "/a/" })
	void locksAreToldAndTakenAway(String key) throws JMException {
		LockHandle lock = shop.template().acquire(key);
		assertThat(keys(call("locks", null, null))).isEqualTo(List.of(key));
		assertThat(keys(call("locks", "cluster", "10"))).isEqualTo(List.of(key));
		assertThat((Map<?, ?>) call("lock", key)).satisfies((told) -> {
			assertThat(told.get("key")).isEqualTo(key);
			assertThat(told.get("since")).isInstanceOf(String.class);
		});
		assertThat(call("release", key)).isEqualTo("released");
		await().until(() -> !lock.isHeld());
		assertThat(call("lock", key)).isNull();
		assertThat(call("release", key)).isEqualTo("not held");
	}

	@Test
	void badQueriesAreRefused() {
		assertThatExceptionOfType(JMException.class).isThrownBy(() -> call("locks", "all", null))
			.havingRootCause()
			.withMessageContaining("'scope' must be");
	}

}
