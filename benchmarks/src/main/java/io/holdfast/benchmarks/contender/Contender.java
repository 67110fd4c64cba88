package io.holdfast.benchmarks.contender;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * What is measured, in the order in which tables list it.
 */
public enum Contender {

	/**
	 * The floor: the commands that a lock needs at least, and no library.
	 */
	BARE_JEDIS("bare", "bare Jedis", BareJedisClient::new, "%s", false),

	/**
	 * Redisson's reentrant lock.
	 */
	REDISSON("redisson", "Redisson RLock", (settings) -> new RedissonLockClient(settings, false), "%s", true),

	/**
	 * Redisson's lock that is granted in order of arrival.
	 */
	REDISSON_FAIR("redisson-fair", "Redisson fair lock", (settings) -> new RedissonLockClient(settings, true), "%s",
			true),

	/**
	 * Spring Integration's registry, whose waiters look again every 100 ms.
	 */
	SPRING_INTEGRATION_SPIN("si-spin", "Spring Integration (spin)",
			(settings) -> new SpringIntegrationClient(settings, RedisLockType.SPIN_LOCK), "benchmarks:%s", true),

	/**
	 * Spring Integration's registry, whose waiters are told of a release.
	 */
	SPRING_INTEGRATION_PUB_SUB("si-pubsub", "Spring Integration (pub/sub)",
			(settings) -> new SpringIntegrationClient(settings, RedisLockType.PUB_SUB_LOCK), "benchmarks:%s", true),

	/**
	 * The {@code RedisTemplate} executor of lock4j.
	 */
	LOCK4J("lock4j", "lock4j (RedisTemplate)", Lock4jClient::new, "%s", true),

	/**
	 * Holdfast, as the starter sets it up.
	 */
	HOLDFAST_JEDIS("holdfast-jedis", "Holdfast (Jedis)", (settings) -> new HoldfastClient(settings, "jedis"),
			"holdfast:{%s}", true),

	/**
	 * Holdfast in an application that uses Lettuce.
	 */
	HOLDFAST_LETTUCE("holdfast-lettuce", "Holdfast (Lettuce)", (settings) -> new HoldfastClient(settings, "lettuce"),
			"holdfast:{%s}", true);

	private final String id;

	private final String label;

	private final Opener opener;

	private final String redisKey;

	private final boolean renewing;

	Contender(String id, String label, Opener opener, String redisKey, boolean renewing) {
		this.id = id;
		this.label = label;
		this.opener = opener;
		this.redisKey = redisKey;
		this.renewing = renewing;
	}

	/**
	 * Return the contender that an option names.
	 * @param id the name
	 * @return the contender
	 * @throws IllegalArgumentException when there is none of that name
	 */
	public static Contender of(String id) {
		return Arrays.stream(values())
			.filter((contender) -> contender.id.equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No contender '%s', there are: %s".formatted(id,
					Arrays.stream(values()).map(Contender::id).collect(Collectors.joining(", ")))));
	}

	/**
	 * Return the libraries that Holdfast is compared with.
	 * @return all but the bare client and Holdfast itself
	 */
	public static Stream<Contender> peers() {
		return Stream.of(REDISSON, REDISSON_FAIR, SPRING_INTEGRATION_SPIN, SPRING_INTEGRATION_PUB_SUB, LOCK4J);
	}

	public String id() {
		return this.id;
	}

	/**
	 * Return what tables call it.
	 * @return the name
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Return whether it can renew leases by itself.
	 * @return whether it can
	 */
	public boolean isRenewing() {
		return this.renewing;
	}

	/**
	 * Return the key that exists in Redis while a lock is held.
	 * @param key the lock's key
	 * @return the key in Redis
	 */
	public String redisKey(String key) {
		return this.redisKey.formatted(key);
	}

	/**
	 * Connect to Redis.
	 * @param settings where it is, and what for
	 * @return a client to be used by many threads
	 */
	public LockClient open(ClientSettings settings) {
		return this.opener.open(settings);
	}

	/**
	 * Connects a contender.
	 */
	@FunctionalInterface
	private interface Opener {

		LockClient open(ClientSettings settings);

	}

}
