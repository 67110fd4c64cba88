package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.engine.LockStore;
import io.holdfast.engine.LockStores;
import io.holdfast.engine.StoreView;
import io.holdfast.engine.StoreView.KeyState;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Locks in a database.
 */
final class JdbcStores implements LockStores {

	static final Duration TOKEN_RETENTION = Duration.ofHours(24);

	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final TestDatabase database;

	private final List<JdbcLockStore> stores = new CopyOnWriteArrayList<>();

	private @Nullable JdbcLockStore operator;

	private JdbcStores(TestDatabase database) {
		this.database = database;
	}

	static JdbcStores on(TestDatabase database) {
		return new JdbcStores(database);
	}

	@Override
	public void start() {
		this.database.start();
		createTable(this.database, "holdfast_");
		this.operator = newStore(dataSource(), TOKEN_RETENTION);
	}

	static void createTable(TestDatabase database, String prefix) {
		try (Connection connection = database.dataSource().getConnection()) {
			String script = new ClassPathResource("io/holdfast/jdbc/schema-" + database.platform() + ".sql")
				.getContentAsString(UTF_8);
			ScriptUtils.executeSqlScript(connection,
					new ByteArrayResource(script.replace("holdfast_", prefix).getBytes(UTF_8)));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static JdbcLockStore newStore(DataSource dataSource, Duration tokenRetention) {
		return new JdbcLockStore(new ConnectionSource(dataSource), "holdfast_", "holdfast", tokenRetention, TIMEOUT,
				true);
	}

	@Override
	public void close() {
		this.stores.forEach(JdbcLockStore::close);
		if (this.operator != null) {
			this.operator.close();
		}
		this.database.close();
	}

	@Override
	public LockStore open(String instanceId) {
		JdbcLockStore store = newStore(dataSource(), TOKEN_RETENTION);
		this.stores.add(store);
		return store;
	}

	@Override
	public void takeAway(String key) {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("update holdfast_lock set holder = null, claim = null, mode = null, state = null"
					+ " where lock_key = 'holdfast:" + key + "'");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean isQueued(String key, int waiters) {
		return view().look(List.of(key)).stream().mapToInt(KeyState::waiterCount).sum() == waiters;
	}

	@Override
	public boolean sendMessages() {
		return this.database.platform().equals("postgresql");
	}

	private StoreView view() {
		return Objects.requireNonNull(this.operator).view();
	}

	DataSource dataSource() {
		return this.database.dataSource();
	}

}
