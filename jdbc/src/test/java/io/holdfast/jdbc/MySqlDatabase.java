package io.holdfast.jdbc;

import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A real MySQL: the one whose program is in a folder that a property names.
 */
final class MySqlDatabase extends MariaDbDatabase {

	private static final @Nullable Path SERVER = program("holdfast.test.mysql", "mysqld", null);

	MySqlDatabase() {
		super(SERVER);
	}

	@Override
	List<String> install() {
		return List.of(Objects.requireNonNull(SERVER).toString(), "--initialize-insecure");
	}

	@Override
	public String platform() {
		return "mysql";
	}

	@Override
	Driver driver() {
		try {
			return new com.mysql.cj.jdbc.Driver();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
