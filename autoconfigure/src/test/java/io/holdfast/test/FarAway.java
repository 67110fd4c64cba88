package io.holdfast.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Makes a Redis one that is far away.
 */
public final class FarAway {

	private FarAway() {
	}

	/**
	 * Return connections over which every question takes a while longer.
	 * @param near the connections as they are
	 * @param latency how much longer
	 */
	public static RedisConnectionFactory of(RedisConnectionFactory near, Duration latency) {
		InvocationHandler handler = (proxy, method, arguments) -> {
			if (method.getName().equals("getConnection")) {
				TimeUnit.NANOSECONDS.sleep(latency.toNanos());
			}
			try {
				return method.invoke(near, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		};
		return (RedisConnectionFactory) Proxy.newProxyInstance(FarAway.class.getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, handler);
	}

}
