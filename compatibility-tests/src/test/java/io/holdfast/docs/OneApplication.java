package io.holdfast.docs;

import java.util.UUID;

import io.holdfast.autoconfigure.HoldfastAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/**
 * Applications with locks in memory that they share with no other, where calls that do
 * not say otherwise try once.
 */
final class OneApplication {

	private OneApplication() {
	}

	static ApplicationContextRunner with(Class<?>... beans) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, HoldfastAutoConfiguration.class))
			.withPropertyValues("holdfast.store=local", "holdfast.wait-for=0",
					"holdfast.key-prefix=" + UUID.randomUUID())
			.withUserConfiguration(Locking.class)
			.withUserConfiguration(beans);
	}

	static ApplicationContextRunner withDatabaseAnd(Class<?>... beans) {
		return with(beans)
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true");
	}

}
