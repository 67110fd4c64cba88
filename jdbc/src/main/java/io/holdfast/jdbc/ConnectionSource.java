package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * Where connections for locks come from. They are its own where they can be made exactly
 * like the application's: from the driver, as a pool says at that moment, or from a data
 * source that is no pool. Else they are borrowed from the application's pool.
 */
final class ConnectionSource {

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			ConnectionSource.class.getClassLoader());

	private final DataSource application;

	private final boolean derives;

	private final boolean own;

	ConnectionSource(DataSource application) {
		this.application = direct(application);
		this.derives = HIKARI && Hikari.isDerivable(this.application);
		this.own = this.derives || isUnpooled(this.application);
	}

	// Neither the connection of the thread's transaction nor a replica must be used
	private static DataSource direct(DataSource dataSource) {
		DataSource target = dataSource;
		while ((target instanceof TransactionAwareDataSourceProxy || target instanceof LazyConnectionDataSourceProxy)
				&& ((DelegatingDataSource) target).getTargetDataSource() != null) {
			target = ((DelegatingDataSource) target).getTargetDataSource();
		}
		return target;
	}

	/**
	 * Return whether a data source may lead each thread to another database.
	 */
	static boolean isRouting(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private static boolean isUnpooled(DataSource application) {
		return application instanceof AbstractDriverBasedDataSource driver && !(driver instanceof SmartDataSource)
				&& leadsToOneDatabase(driver.getUrl());
	}

	private static boolean leadsToOneDatabase(@Nullable String url) {
		return url != null && !url.matches("jdbc:h2:mem:(;.*)?");
	}

	boolean isOwn() {
		return this.own;
	}

	/**
	 * Open a connection.
	 * @param timeout how long a server that says nothing is waited for, if the connection
	 * is made from a pool
	 */
	Connection open(Duration timeout) throws SQLException {
		return this.derives ? Hikari.open(this.application, timeout) : this.application.getConnection();
	}

	/**
	 * Return whether a data source leads where this one does.
	 */
	boolean isFrom(DataSource other) {
		return target(other) == target(this.application);
	}

	private static DataSource target(DataSource dataSource) {
		DataSource target = dataSource;
		while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			target = proxy.getTargetDataSource();
		}
		return target;
	}

	/**
	 * The pool that says all of its connections.
	 */
	private static final class Hikari {

		private static boolean isDerivable(DataSource application) {
			HikariDataSource pool = pool(application);
			return pool != null && pool.getDataSourceClassName() == null && pool.getDataSource() == null
					&& leadsToOneDatabase(pool.getJdbcUrl());
		}

		// As the pool does
		private static Connection open(DataSource application, Duration timeout) throws SQLException {
			HikariDataSource pool = Objects.requireNonNull(pool(application));
			SimpleDriverDataSource driver = DataSourceBuilder.derivedFrom(pool)
				.type(SimpleDriverDataSource.class)
				.build();
			driver.setConnectionProperties(limited(pool, timeout));
			driver.setCatalog(pool.getCatalog());
			driver.setSchema(pool.getSchema());
			Connection connection = driver.getConnection();
			if (pool.getConnectionInitSql() != null) {
				try (Statement statement = connection.createStatement()) {
					statement.execute(pool.getConnectionInitSql());
				}
				catch (SQLException ex) {
					connection.close();
					throw ex;
				}
			}
			return connection;
		}

		// Of each of several servers, so that the next one is asked
		private static Properties limited(HikariDataSource pool, Duration timeout) {
			Properties properties = new Properties();
			String limit = switch (DatabaseDriver.fromJdbcUrl(pool.getJdbcUrl())) {
				case POSTGRESQL -> Long.toString(timeout.plusMillis(999).toSeconds());
				case MARIADB, MYSQL -> Long.toString(timeout.toMillis());
				default -> null; // those of H2 would refuse what they do not know
			};
			if (limit != null) {
				properties.setProperty("connectTimeout", limit);
				properties.setProperty("socketTimeout", limit);
			}
			properties.putAll(pool.getDataSourceProperties());
			return properties;
		}

		private static @Nullable HikariDataSource pool(DataSource application) {
			return (application instanceof DelegatingDataSource) ? null
					: DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
		}

	}

}
