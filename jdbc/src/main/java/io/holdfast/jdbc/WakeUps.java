package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import io.holdfast.engine.LockStore.Subscription;
import io.holdfast.engine.LockStore.WakeUpListener;
import io.holdfast.rules.WakeUp;
import org.jspecify.annotations.Nullable;

/**
 * Tells instances that they may try, in the transaction that frees a lock, where the
 * database sends messages. Those of this instance are told without one.
 */
final class WakeUps {

	private static final int LONGEST = 7000;

	private final String table;

	private final Connections connections;

	private volatile String instanceId = "";

	private volatile @Nullable WakeUpListener listener;

	private @Nullable PostgresMessages messages;

	WakeUps(String table, Connections connections) {
		this.table = table;
		this.connections = connections;
	}

	synchronized void open(String instanceId, WakeUpListener listener) {
		this.instanceId = instanceId;
		if (this.listener != null) {
			return;
		}
		this.listener = listener;
		this.messages = new PostgresMessages(this.connections, channel(instanceId),
				(message) -> hear(message, listener));
	}

	synchronized void close() {
		this.listener = null;
		if (this.messages != null) {
			this.messages.close();
			this.messages = null;
		}
	}

	// A database without messages is no broken one
	synchronized Subscription state() {
		return (this.messages != null) ? this.messages.state() : Subscription.IDLE;
	}

	private String channel(String instance) {
		return "holdfast_" + RowKeys.digest(this.table + " " + instance).substring(0, 32);
	}

	/**
	 * Send messages to other instances.
	 */
	void send(Connection connection, Dialect dialect, List<WakeUp> wakeUps) throws SQLException {
		if (dialect != Dialect.POSTGRESQL) {
			return;
		}
		for (WakeUp wakeUp : wakeUps) {
			if (!wakeUp.instance().equals(this.instanceId)) {
				try (PreparedStatement notify = connection.prepareStatement("select pg_notify(?, ?)")) {
					notify.setString(1, channel(wakeUp.instance()));
					notify.setString(2, message(wakeUp));
					notify.execute();
				}
			}
		}
	}

	/**
	 * Tell this instance, once it is so.
	 */
	void tellOwn(List<WakeUp> wakeUps) {
		WakeUpListener own = this.listener;
		if (own != null) {
			wakeUps.stream()
				.filter((wakeUp) -> wakeUp.instance().equals(this.instanceId))
				.forEach((wakeUp) -> wakeUp.tell(own));
		}
	}

	private static String message(WakeUp wakeUp) {
		String message = String.join("\n", wakeUp.kind().name(), Long.toString(wakeUp.token()), wakeUp.name(),
				wakeUp.key());
		boolean possible = message.length() * 3 < LONGEST && message.indexOf('\0') < 0;
		return possible ? message : ""; // to try all
	}

	// What it does not know may come from another version
	private static void hear(String message, WakeUpListener listener) {
		String[] parts = message.split("\n", 4);
		try {
			new WakeUp(WakeUp.Kind.valueOf(parts[0]), parts[3], parts[2], Long.parseLong(parts[1])).tell(listener);
		}
		catch (IllegalArgumentException | ArrayIndexOutOfBoundsException ex) {
			listener.wakeUpAll();
		}
	}

}
