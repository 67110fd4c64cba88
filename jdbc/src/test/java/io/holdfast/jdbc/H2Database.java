package io.holdfast.jdbc;

import java.util.UUID;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * H2 in memory.
 */
final class H2Database implements TestDatabase {

	private final SimpleDriverDataSource dataSource = new SimpleDriverDataSource(new org.h2.Driver(),
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");

	@Override
	public void start() {
		// with the first connection
	}

	@Override
	public void close() {
		// with the JVM
	}

	@Override
	public String platform() {
		return "h2";
	}

	@Override
	public DataSource dataSource() {
		return this.dataSource;
	}

}
