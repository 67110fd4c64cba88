package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/**
 * Where connections for locks come from: from the driver, as the application's data
 * source says at that moment, or else from that data source.
 */
final class ConnectionSource {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionSource.class);

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			ConnectionSource.class.getClassLoader());

	private final DataSource application;

	private final boolean own;

	ConnectionSource(DataSource application) {
		this.application = untransactional(application);
		this.own = isDerivable(this.application);
	}

	// A connection of the thread's transaction must not be used
	private static DataSource untransactional(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		return target;
	}

	private static boolean isDerivable(DataSource application) {
		try {
			String url = derived(application).getUrl();
			return url != null && !url.matches("jdbc:h2:mem:(;.*)?") && !(HIKARI && Hikari.isSpecial(application));
		}
		catch (RuntimeException ex) {
			logger.debug("Locks borrow connections", ex);
			return false;
		}
	}

	private static SimpleDriverDataSource derived(DataSource application) {
		DataSource target = (application instanceof LazyConnectionDataSourceProxy lazy
				&& lazy.getTargetDataSource() != null) ? lazy.getTargetDataSource() : application;
		SimpleDriverDataSource derived = DataSourceBuilder.derivedFrom(target)
			.type(SimpleDriverDataSource.class)
			.build();
		if (HIKARI) {
			Hikari.copyProperties(target, derived);
		}
		return derived;
	}

	boolean isOwn() {
		return this.own;
	}

	Connection open() throws SQLException {
		if (!this.own) {
			return this.application.getConnection();
		}
		Connection connection = derived(this.application).getConnection();
		try {
			if (HIKARI) {
				Hikari.prepare(this.application, connection);
			}
			return connection;
		}
		catch (SQLException ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * Return whether a data source leads where this one does.
	 */
	boolean isFrom(DataSource other) {
		return target(untransactional(other)) == target(this.application);
	}

	private static DataSource target(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		return target;
	}

	/**
	 * What the derivation leaves out.
	 */
	private static final class Hikari {

		private static boolean isSpecial(DataSource application) {
			HikariDataSource pool = pool(application);
			return pool != null && (pool.getDataSourceClassName() != null || pool.getDataSource() != null);
		}

		// As the pool does with its own
		private static void prepare(DataSource application, Connection connection) throws SQLException {
			HikariDataSource pool = pool(application);
			if (pool == null) {
				return;
			}
			if (pool.getCatalog() != null) {
				connection.setCatalog(pool.getCatalog());
			}
			if (pool.getSchema() != null) {
				connection.setSchema(pool.getSchema());
			}
			if (pool.getConnectionInitSql() != null) {
				try (Statement statement = connection.createStatement()) {
					statement.execute(pool.getConnectionInitSql());
				}
			}
		}

		private static void copyProperties(DataSource application, SimpleDriverDataSource derived) {
			HikariDataSource pool = pool(application);
			if (pool != null) {
				derived.setConnectionProperties(pool.getDataSourceProperties());
			}
		}

		private static @Nullable HikariDataSource pool(DataSource application) {
			return DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
		}

	}

}
