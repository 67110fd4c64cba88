package io.holdfast.docs;

import java.util.function.Consumer;

import io.holdfast.DistributedLock;
import io.holdfast.test.Threads;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Entities that were read before the lock: a request reads an account, then another
 * request makes a deposit, then the first one.
 */
@Tag("any-jdk")
class StaleEntityTests {

	private final ApplicationContextRunner contextRunner = OneApplication.withDatabaseAnd(Accounts.class)
		.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
		.withPropertyValues("spring.jpa.hibernate.ddl-auto=create-drop");

	@Test
	void depositIsLostUnderAHeldLockInAnOpenView() {
		this.contextRunner.run((context) -> {
			twoRequests(context, Accounts::deposit);
			assertThat(context.getBean(Locking.class).acquired()).containsExactly("account:1", "account:1");
			assertThat(context.getBean(Accounts.class).balance()).isOne();
		});
	}

	@Test
	void noDepositIsLostWhenTheEntityIsReadAnew() {
		this.contextRunner.run((context) -> {
			twoRequests(context, Accounts::depositOnFresh);
			assertThat(context.getBean(Accounts.class).balance()).isEqualTo(2);
		});
	}

	private static void twoRequests(ApplicationContext context, Consumer<Accounts> deposit) {
		Accounts accounts = context.getBean(Accounts.class);
		accounts.open();
		EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
		request(factory, () -> {
			assertThat(accounts.balance()).isZero();
			Threads.call(() -> {
				request(factory, () -> deposit.accept(accounts));
				return "deposited";
			});
			deposit.accept(accounts);
		});
	}

	/**
	 * Spring Boot opens a view for each web request, unless
	 * {@code spring.jpa.open-in-view=false}.
	 */
	private static void request(EntityManagerFactory factory, Runnable work) {
		try (EntityManager view = factory.createEntityManager()) {
			TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
			work.run();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(factory);
		}
	}

	@EntityScan(basePackageClasses = StaleEntityTests.class)
	static class Accounts {

		@PersistenceContext
		private EntityManager entities;

		@Transactional
		public void open() {
			this.entities.persist(new Account());
		}

		@Transactional(readOnly = true)
		public int balance() {
			return this.entities.find(Account.class, 1L).balance;
		}

		@Transactional
		@DistributedLock(name = "account", key = "1")
		public void deposit() {
			this.entities.find(Account.class, 1L).balance++;
		}

		@Transactional
		@DistributedLock(name = "account", key = "1")
		public void depositOnFresh() {
			deposit(1, 1);
		}

		private void deposit(long id, int amount) {
			Account account = this.entities.find(Account.class, id);
			// as it is now: it may have been read before the lock
			this.entities.refresh(account);
			account.balance += amount;
		}

	}

	@Entity
	static class Account {

		@Id
		private long id = 1;

		private int balance;

	}

}
