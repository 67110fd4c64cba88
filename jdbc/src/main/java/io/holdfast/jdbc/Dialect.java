package io.holdfast.jdbc;

import java.lang.module.ModuleDescriptor.Version;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.jdbc.JdbcLocksFailureAnalyzer.UnusableDatabaseException;

/**
 * What databases say differently. The clock is that of a statement or of its transaction,
 * in UTC: before a row was waited for, so that no lease is longer than was asked for.
 */
enum Dialect {

	/**
	 * One statement that takes a free lock, or makes its row. As it sets the key, not
	 * even a pin can come between.
	 */
	POSTGRESQL("(clock_timestamp() at time zone 'UTC')", "(extract(epoch from clock_timestamp()) * 1000000)::bigint",
			"#now + ? * interval '1 microsecond'",
			"""
					insert into #table as present
					  (lock_key, holder, claim, mode, token, holds, lease_end, expires)
					select asked, ?, ?, 'exclusive', #micros, 1, #after, #after from (select ? as asked) as claimed
					where #hasty and (not exists (select from #table where lock_key = asked)
					  or exists (select from #table where lock_key = asked for update skip locked))
					on conflict (lock_key) do update set lock_key = excluded.lock_key, holder = excluded.holder,
					  claim = excluded.claim, mode = excluded.mode, token = greatest(present.token + 1, excluded.token), holds = 1,
					  lease_end = excluded.lease_end, expires = excluded.expires
					where present.state is null and (present.holder is null or present.lease_end <= #now)
					returning token""",
			"for key share", "for no key update", "set idle_in_transaction_session_timeout = 2000"),

	H2("dateadd(microsecond, #micros, timestamp '1970-01-01 00:00:00.000000')",
			"cast(extract(epoch from current_timestamp) * 1000000 as bigint)", "dateadd(microsecond, ?, #now)",
			"select token from final table (" + Dialect.TAKE.formatted("greatest(token + 1, #micros)") + ")",
			"for update", "for update", "set lock_timeout 300"),

	/**
	 * MariaDB as well.
	 */
	MYSQL("utc_timestamp(6)", "timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))",
			"date_add(#now, interval ? microsecond)",
			Dialect.TAKE.formatted("last_insert_id(greatest(token + 1, #micros))"), "lock in share mode", "for update",
			"set session innodb_lock_wait_timeout = 1, wait_timeout = 60"
					+ " /*M!100300 , idle_transaction_timeout = 2 */");

	// MariaDB 11.6.2 and newer would refuse a row that was changed since the transaction
	// began. Anywhere else, it is a comment
	private static final String OF_NOW = "/*M!110402 set statement innodb_snapshot_isolation = 0 for */ ";

	// MariaDB puts another one before its own, for old drivers
	private static final Pattern NUMBER = Pattern.compile("(?:5[.]5[.]5-)?(\\d+(?:[.]\\d+)*)");

	private static final String TAKE = """
			update #table set holder = ?, claim = ?, mode = 'exclusive', token = %s, holds = 1,
			  lease_end = #after, expires = #after
			where #unlocked and state is null and (holder is null or lease_end <= #now)""";

	// The row of a key, unless it is locked: that is not waited for
	private static final String UNLOCKED = """
			lock_key = (select /*+ no_merge(free) */ lock_key
			    from (select lock_key from #table where lock_key = ? for update skip locked) as free)""";

	// One that hangs is not waited for, and by what can come again not for long
	private static final String LIMITED = "set_config('lock_timeout', '%d', true) is not null";

	// What grants nothing in PostgreSQL need not wait for the disk: before a grant that
	// follows is on it, so is this. After a crash, the lock may be held again until its
	// lease ends
	private static final String NO_FLUSH = " and set_config('synchronous_commit', 'off', true) = 'off'";

	private final String now;

	private final String micros;

	private final String after;

	private final String take;

	private final String pin;

	private final String change;

	private final String waitForRows;

	Dialect(String now, String micros, String after, String take, String pin, String change, String waitForRows) {
		this.now = now;
		this.micros = micros;
		this.after = after;
		this.take = take;
		this.pin = pin;
		this.change = change;
		this.waitForRows = waitForRows;
	}

	static Dialect of(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		String name = database.getDatabaseProductName();
		if (name.equals("PostgreSQL")) { // others speak its protocol
			try (Statement statement = connection.createStatement();
					ResultSet version = statement.executeQuery("select version()")) {
				version.next();
				name = version.getString(1).split(" ", 2)[0];
			}
		}
		return of(name, database.getDatabaseProductVersion());
	}

	static Dialect of(String name, String version) {
		boolean isMaria = version.contains("MariaDB"); // also to the driver of MySQL
		return switch (isMaria ? "MariaDB" : name) {
			case "PostgreSQL" -> POSTGRESQL.since("13", name, version);
			case "H2" -> H2.since("2.2.220", name, version);
			case "MySQL" -> MYSQL.since("8", name, version);
			case "MariaDB" -> MYSQL.since("10.6", name, version);
			default -> throw unknown(name + " " + version);
		};
	}

	private Dialect since(String least, String name, String version) {
		Matcher number = NUMBER.matcher(version);
		if (number.find() && Version.parse(number.group(1)).compareTo(Version.parse(least)) < 0) {
			throw unknown(name + " " + version);
		}
		return this;
	}

	private static UnusableDatabaseException unknown(String product) {
		return new UnusableDatabaseException(
				"Locks cannot be kept in '%s': only in PostgreSQL 13, MySQL 8, MariaDB 10.6 and H2 2.2.220, or newer"
					.formatted(product),
				"Name another DataSource bean in 'holdfast.jdbc.datasource'.", null);
	}

	// Takes a free lock and returns its token, if it has a row or can be given one
	String take(String table) {
		return sql(this.take, table);
	}

	String free(String table) {
		return sql("""
				update #table set holder = null, claim = null, mode = null, holds = 0, lease_end = null,
				  released = ?, expires = #after
				where #own and holder = ? and token = ? and mode = 'exclusive' and state is null
				  and lease_end > #now""" + noFlush(), table);
	}

	// Makes a row, unless there is one
	String create(String table) {
		return sql("""
				insert into #table (lock_key, token, holds, expires)
				select ?, 0, 0, #after from (select 1 as one) as missing
				where not exists (select 1 from #table where lock_key = ?)"""
				+ ((this == POSTGRESQL) ? NO_FLUSH + " and #hasty on conflict do nothing" : ""), table);
	}

	// What must not be written beside a pin meets that here in PostgreSQL
	String write(String table, boolean grants, boolean besidePins) {
		return sql("""
				update #table set holder = ?, claim = ?, mode = ?, token = ?, holds = ?, lease_end = ?,
				  released = ?, state = ?, expires = ?
				where\s""" + ((besidePins || this != POSTGRESQL) ? "lock_key = ?" : "#unlocked")
				+ (grants ? "" : noFlush()), table);
	}

	private String noFlush() {
		return (this == POSTGRESQL) ? NO_FLUSH : "";
	}

	String read(String table, int keys, Rows rows) {
		String these = String.join(", ", Collections.nCopies(keys, "?"));
		boolean waits = this == POSTGRESQL && rows == Rows.TO_CHANGE;
		return sql((rows == Rows.PINNED ? OF_NOW : "") + "select lock_key, " + LockRow.COLUMNS + ", #now as db_now"
				+ " from #table where lock_key in (" + these + ")" + (waits ? " and #patient" : "")
				+ " order by lock_key " + (waits ? this.change : rows.clause), table)
			.replace("#pin", this.pin);
	}

	String held(String table) {
		return sql("select lock_key, " + LockRow.COLUMNS
				+ ", #now as db_now from #table where holder is not null and lease_end > #now"
				+ " and substring(lock_key, 1, ?) = ? limit ?", table);
	}

	String page(String table) {
		return sql(
				"select lock_key, expires < #now as is_over from #table where lock_key > ? order by lock_key limit ?",
				table);
	}

	String remove(String table) {
		return sql("delete from #table where #unlocked and expires < #now", table);
	}

	// A process that is frozen within a request must not keep a row for longer than that
	String waitForRows() {
		return this.waitForRows;
	}

	private String sql(String text, String table) {
		return text.replace("#unlocked", UNLOCKED)
			.replace("#own", UNLOCKED.replace("for update", this.change))
			.replace("#change", this.change)
			.replace("#patient", LIMITED.formatted(300))
			.replace("#hasty", LIMITED.formatted(20))
			.replace("#after", this.after)
			.replace("#now", this.now)
			.replace("#micros", this.micros)
			.replace("#table", table);
	}

	/**
	 * How rows are read. In PostgreSQL, whose pins are not in the way, what ends or keeps
	 * a hold stands in line for its row. Otherwise only pins wait.
	 */
	enum Rows {

		SEEN(""), TO_CHANGE("#change skip locked"), TO_CHANGE_IF_FREE("#change skip locked"), PINNED("#pin");

		private final String clause;

		Rows(String clause) {
			this.clause = clause;
		}

	}

}
