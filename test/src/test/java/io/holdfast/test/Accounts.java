package io.holdfast.test;

import org.springframework.data.jpa.repository.JpaRepository;

interface Accounts extends JpaRepository<Account, Long> {

}
