package io.holdfast.docs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.test.context.SpringBootTest;

/**
 * A test of an application with locks in memory that it shares with no other, where calls
 * that do not say otherwise try once.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(properties = { "holdfast.store=local", "holdfast.wait-for=0", "holdfast.key-prefix=${random.uuid}",
		"spring.main.banner-mode=off" })
@interface GuideTest {

}
