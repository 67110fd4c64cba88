package io.holdfast.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Connection factories that do something, or choose a server, before each call.
 */
public final class DisturbedConnections {

	private DisturbedConnections() {
	}

	/**
	 * Let something happen before each call.
	 * @param beforeCall is told the number of the call, the first being 1
	 */
	public static RedisConnectionFactory of(RedisConnectionFactory connections, IntConsumer beforeCall) {
		AtomicInteger calls = new AtomicInteger();
		return choosing(() -> {
			beforeCall.accept(calls.incrementAndGet());
			return connections;
		}, connections);
	}

	/**
	 * Choose a server for each call.
	 * @param otherwise gets all that asks for no connection
	 */
	public static RedisConnectionFactory choosing(Supplier<RedisConnectionFactory> choice,
			RedisConnectionFactory otherwise) {
		InvocationHandler handler = (proxy, method, arguments) -> {
			boolean isCall = method.getName().equals("getConnection");
			try {
				return method.invoke(isCall ? choice.get() : otherwise, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		};
		return (RedisConnectionFactory) Proxy.newProxyInstance(DisturbedConnections.class.getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, handler);
	}

}
