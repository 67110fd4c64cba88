package io.holdfast.test;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Account {

	@Id
	private long id;

	Account(long id) {
		this.id = id;
	}

	protected Account() {
	}

	long getId() {
		return this.id;
	}

}
