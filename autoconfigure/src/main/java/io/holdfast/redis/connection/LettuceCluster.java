package io.holdfast.redis.connection;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.internal.HostAndPort;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;

/**
 * A Cluster. After each failure, and after a node has named another one for a slot, the
 * Cluster is asked again which node has which slots.
 */
final class LettuceCluster implements LockServers {

	private final LettuceSettings settings;

	private final RedisClient client;

	private final RedisClusterClient topology;

	private final int mostRedirections;

	private final Map<HostAndPort, LettuceServer> nodes = new ConcurrentHashMap<>();

	// The latest attempt to ask for the nodes
	private CompletableFuture<Void> refresh = CompletableFuture.completedFuture(null);

	private volatile boolean known;

	private volatile long refreshedAt;

	LettuceCluster(LettuceSettings settings, RedisClient client) {
		this.settings = settings;
		this.client = client;
		this.topology = settings.topology(client);
		this.mostRedirections = settings.clusterOptions().getMaxRedirects();
	}

	@Override
	public <T extends @Nullable Object> T ask(byte @Nullable [] key, boolean interruptible,
			Function<LockConnection, T> question) {
		awaitNodes(interruptible);
		HostAndPort node = nodeOf(SlotHash.getSlot(Objects.requireNonNull(key)));
		boolean asking = false;
		for (int i = 0;; i++) {
			long askedAt = System.nanoTime();
			try {
				return asking ? server(node).askAlone(true, interruptible, question)
						: server(node).ask(key, interruptible, question);
			}
			catch (RedisCommandExecutionException ex) {
				String[] reply = String.valueOf(ex.getMessage()).split(" ");
				asking = reply[0].equals("ASK");
				if (!asking) {
					refresh();
				}
				if (i == this.mostRedirections || !(asking || reply[0].equals("MOVED"))) {
					throw ex;
				}
				node = target(reply[2], node);
			}
			catch (RedisException | RedisConnectionFailureException ex) {
				if (ex instanceof RedisCommandTimeoutException) {
					// A request for keys on several nodes is made again once, not for
					// each
					this.nodes.values().forEach((other) -> other.dropIdleUnlessAnsweredSince(askedAt));
				}
				refresh();
				throw ex;
			}
		}
	}

	// Without a host, the node has named another port of its own host
	private static HostAndPort target(String named, HostAndPort by) {
		return HostAndPort.parseCompat(named.startsWith(":") ? by.getHostText() + named : named);
	}

	private HostAndPort nodeOf(int slot) {
		RedisClusterNode node = this.topology.getPartitions().getPartitionBySlot(slot);
		if (node == null) {
			refresh();
			throw new RedisConnectionFailureException("No node of the Cluster has slot " + slot);
		}
		return address(node);
	}

	private LettuceServer server(HostAndPort address) {
		return this.nodes.computeIfAbsent(address, (node) -> new LettuceServer(this.settings, this.client,
				this.settings.address(node.getHostText(), node.getPort())));
	}

	private static HostAndPort address(RedisClusterNode node) {
		return HostAndPort.of(node.getUri().getHost(), node.getUri().getPort());
	}

	private void awaitNodes(boolean interruptible) {
		if (!this.known) {
			LettuceServer.await(refresh(), interruptible);
		}
	}

	// Ask for the nodes again. All callers wait for the same attempt; one that waited for
	// a failed attempt does not make another.
	private synchronized CompletableFuture<Void> refresh() {
		boolean due = !this.known || System.nanoTime() - this.refreshedAt > LEAVING_PAUSE.toNanos();
		if (due && this.refresh.isDone()) {
			CompletableFuture<Void> asked = CompletableFuture.completedFuture(this.topology)
				.thenCompose(RedisClusterClient::refreshPartitionsAsync);
			this.settings.limit(asked, this.client.getResources());
			this.refresh = asked.thenRun(this::refreshed)
				.whenComplete((done, failure) -> this.refreshedAt = System.nanoTime());
		}
		return this.refresh;
	}

	private void refreshed() {
		this.known = true;
		Set<HostAndPort> present = this.topology.getPartitions()
			.stream()
			.map(LettuceCluster::address)
			.collect(Collectors.toSet());
		this.nodes.forEach((address, node) -> {
			if (!present.contains(address) && this.nodes.remove(address, node)) {
				node.leave();
			}
		});
	}

	@Override
	public RedisConnection connection() {
		awaitNodes(true);
		return new LettuceClusterConnection(this.topology);
	}

	/**
	 * Any node receives what is published.
	 */
	@Override
	public RedisConnection subscriptionConnection() {
		awaitNodes(true);
		List<RedisClusterNode> masters = this.topology.getPartitions()
			.stream()
			.filter((node) -> node.getRole().isUpstream() && !node.hasNoSlots())
			.toList();
		return server(address(masters.get(ThreadLocalRandom.current().nextInt(masters.size()))))
			.subscriptionConnection();
	}

	@Override
	public void close() {
		this.nodes.values().forEach(LettuceServer::end);
		this.settings.shutdown(this.topology);
		this.settings.shutdown(this.client);
	}

}
