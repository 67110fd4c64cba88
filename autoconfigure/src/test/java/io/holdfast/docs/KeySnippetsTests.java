package io.holdfast.docs;

import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;

import io.holdfast.DistributedLock;
import io.holdfast.LockMode;
import io.holdfast.LockSnapshot;
import io.holdfast.LockTemplate;
import io.holdfast.OnFailure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is locked, and in which mode.
 */
@GuideTest
@Import({ KeySnippetsTests.Accounts.class, KeySnippetsTests.Catalogue.class })
@Tag("slow")
class KeySnippetsTests {

	@Autowired
	private Accounts accounts;

	@Autowired
	private Catalogue catalogue;

	@Autowired
	private AcquiredLocks acquired;

	@Autowired
	private LockTemplate locks;

	@Test
	void keys() {
		assertThat(this.acquired.keysBy(this.accounts::nightlyReport)).containsExactly("nightly-report");
		assertThat(this.acquired.keysBy(() -> this.accounts.book(new Order("42")))).containsExactly("order:42");
		assertThat(this.acquired.keysBy(() -> this.accounts.close("7"))).containsExactly("account:acme/7");
		assertThat(this.acquired.keysBy(this.accounts::balanceSheet)).containsExactly("balance-sheet");
	}

	@Test
	void keyOfADateDependsOnTheTimeZoneAndHasNoMilliseconds() {
		Date date = new Date(1_700_000_000_123L);
		TimeZone before = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
			List<String> here = this.acquired.keysBy(() -> this.accounts.closeDay(date));
			assertThat(this.acquired.keysBy(() -> this.accounts.closeDay(new Date(1_700_000_000_456L))))
				.isEqualTo(here);
			List<String> instant = this.acquired.keysBy(() -> this.accounts.closeInstant(date));
			TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
			assertThat(this.acquired.keysBy(() -> this.accounts.closeDay(date))).isNotEqualTo(here);
			assertThat(this.acquired.keysBy(() -> this.accounts.closeInstant(date))).isEqualTo(instant)
				.containsExactly("day:2023-11-14T22:13:20.123Z");
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void keyInUpperCaseDependsOnTheLocale() {
		Locale before = Locale.getDefault();
		try {
			Locale.setDefault(Locale.forLanguageTag("tr"));
			assertThat(this.acquired.keysBy(() -> this.accounts.rename("bid"))).containsExactly("name:B\u0130D");
			assertThat(this.acquired.keysBy(() -> this.accounts.renameAnywhere("bid"))).containsExactly("name:BID");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	@Test
	void severalKeys() {
		assertThat(this.acquired.keysBy(() -> this.accounts.transfer("2", "1"))).containsExactlyInAnyOrder("account:1",
				"account:2");
		assertThat(this.acquired.keysBy(() -> this.accounts.closeAll(List.of("3", "4", "3"))))
			.containsExactlyInAnyOrder("account:3", "account:4");
	}

	@Test
	void modes() {
		assertThat(this.acquired.by(() -> this.catalogue.search("anvil"))).extracting(LockSnapshot::mode)
			.containsExactly(LockMode.SHARED);
		assertThat(this.acquired.by(this.catalogue::rebuild)).extracting(LockSnapshot::mode)
			.containsExactly(LockMode.EXCLUSIVE);
	}

	@Test
	void condition() {
		assertThat(this.acquired.keysBy(() -> this.accounts.withdraw("1", 1000))).isEmpty();
		assertThat(this.acquired.keysBy(() -> this.accounts.withdraw("1", 1001))).containsExactly("account:1");
	}

	static class Accounts {

		@DistributedLock(name = "day", key = "#date")
		public void closeDay(Date date) {
		}

		// snippet: date-in-key
		@DistributedLock(name = "day", key = "#date.toInstant()")
		public void closeInstant(Date date) {
		}
		// end

		@DistributedLock(name = "name", key = "#name.toUpperCase()")
		public void rename(String name) {
		}

		@DistributedLock(name = "name", key = "#name.toUpperCase(T(java.util.Locale).ROOT)")
		public void renameAnywhere(String name) {
		}

		// snippet: keys
		@DistributedLock("'nightly-report'") // a literal, in quotes
		public void nightlyReport() {
		}

		@DistributedLock(name = "order", key = "#order.id") // locks "order:42"
		public void book(Order order) {
		}

		// a bean, and the first parameter
		@DistributedLock(name = "account", key = "@tenants.current() + '/' + #p0")
		public void close(String id) {
		}

		@DistributedLock(name = "balance-sheet") // the name alone is the key
		public void balanceSheet() {
		}
		// end

		// snippet: several-keys
		@DistributedLock(name = "account", key = "{#from, #to}") // both accounts, or none
		public void transfer(String from, String to) {
		}

		@DistributedLock(name = "account", key = "#ids") // all of them, or none
		public void closeAll(List<String> ids) {
		}
		// end

		// snippet: condition
		@DistributedLock(name = "account", key = "#id", condition = "#amount > 1000")
		public void withdraw(String id, long amount) {
		}
		// end

	}

	static class Catalogue {

		// snippet: shared
		// any number of readers, no writer
		@DistributedLock(name = "catalogue", mode = LockMode.SHARED)
		public List<String> search(String text) {
			return List.of(text);
		}

		// one writer, in order of arrival
		@DistributedLock(name = "catalogue", fair = true)
		public void rebuild() {
		}
		// end

		// snippet: permits
		// at most five calls of the partner at a time, in all instances
		@DistributedLock(name = "partner-api", permits = 5, waitFor = "10s")
		public String ask(String question) {
			return question;
		}

		// at most two imports at a time; a third is skipped
		@DistributedLock(name = "import", permits = 2, waitFor = "0", onFailure = OnFailure.SKIP)
		public void importAll() {
		}

		// at most ten messages a second for each customer
		@DistributedLock(name = "message", key = "#customer", permits = 10, minHold = "1s")
		public void send(String customer) {
		}
		// end

		@Bean
		Tenants tenants() {
			return new Tenants();
		}

	}

	public static class Tenants {

		public String current() {
			return "acme";
		}

	}

}
