package io.holdfast.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.RunOnce;
import io.holdfast.autoconfigure.FailureAnalyses;
import io.holdfast.test.ContradictingLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanDefinitionStoreException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.SimpleBeanDefinitionRegistry;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.ClassPathBeanDefinitionScanner;
import org.springframework.core.type.filter.AssignableTypeFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which annotation counts: those of methods, classes, superclasses and interfaces.
 */
class AnnotatedMethodTests {

	/**
	 * Return the keys and names of the locks of the methods of a nested class, by the
	 * method that Spring looks for.
	 */
	private static List<String> locks(String type) throws ClassNotFoundException {
		return AnnotatedMethod.in(type(type))
			.stream()
			.map((found) -> found.method().getName() + "=" + found.annotation().key() + found.annotation().name())
			.sorted()
			.toList();
	}

	private static Class<?> type(String name) throws ClassNotFoundException {
		return Class.forName(AnnotatedMethodTests.class.getName() + "$" + name);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"', textBlock = """
			ReaderAndWriter, read=reader write=writer
			OwnMethod, close='own'
			OwnType, close=own
			BelowSuperclass, close='own'
			OfOverriding, close='overriding'
			OfOverriddenDefault, close='overriding'
			OfLibrary, read=library
			OfEqual, close='books'
			OfOverloads, close='text' close=overloads
			OfRedeclaring, close=redeclaring
			OfNotRedeclaring, close='books'
			NewMethod, other=super
			TextHandler, handle=#value
			Inheriting, work='composed'
			Alike, work='composed'
			NotMeant, work='composed'
			""")
	void counts(String type, String locks) throws ClassNotFoundException {
		assertThat(String.join(" ", locks(type))).isEqualTo(locks);
	}

	@Test
	void nothingIsFoundWhereThereAreNone() throws ClassNotFoundException {
		assertThat(AnnotatedMethod.existIn(None.class)).isFalse();
		assertThat(locks("None")).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { OfTwoInterfaces.class, OfMethodAndType.class, OfGenericInterfaces.class, OfTwoTypes.class,
			OfDefaultAndOther.class })
	void differentOnesFromAboveAreRefused(Class<?> type) {
		assertThatExceptionOfType(InvalidDistributedLockException.class).isThrownBy(() -> AnnotatedMethod.in(type))
			.withMessageContainingAll(" differ", type.getName() + ".close")
			.satisfies((ex) -> assertThat(ex.getAction()).contains(type.getName()));
	}

	@Test
	void bothPlacesAreNamed() {
		assertThatExceptionOfType(InvalidDistributedLockException.class)
			.isThrownBy(() -> AnnotatedMethod.in(OfMethodAndType.class))
			.withMessageContainingAll(Books.class.getName() + ".close()", LockedType.class.getName() + " ");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnceAndLocked.class, TwiceOnType.class })
	void differentOnesOfOnePlaceAreRefused(Class<?> type) {
		assertThatExceptionOfType(InvalidDistributedLockException.class).isThrownBy(() -> AnnotatedMethod.in(type))
			.withMessageContainingAll(type.getName() + ".work()", "differ");
	}

	@Test
	void keyAndValueMustNotContradictEachOther() {
		assertThatExceptionOfType(InvalidDistributedLockException.class)
			.isThrownBy(() -> AnnotatedMethod.in(ContradictingLock.class))
			.withMessageContainingAll("'key'", "'value'");
	}

	/**
	 * Spring refuses it there before anybody asks for it.
	 */
	@Test
	void contradictionIsExplainedWhereItsClassIsScanned() {
		ClassPathBeanDefinitionScanner scanner = new ClassPathBeanDefinitionScanner(new SimpleBeanDefinitionRegistry(),
				false);
		scanner.addIncludeFilter(new AssignableTypeFilter(ContradictingLock.class));
		assertThatExceptionOfType(BeanDefinitionStoreException.class)
			.isThrownBy(() -> scanner.scan(ContradictingLock.class.getPackageName()))
			.satisfies((ex) -> {
				FailureAnalysis analysis = FailureAnalyses.of(ex);
				assertThat(analysis.getDescription()).contains(ContradictingLock.class.getSimpleName(), "'key'",
						"'value'");
			});
	}

	// Parameters

	@ParameterizedTest
	@ValueSource(classes = { OtherNames.class, SwappedNames.class, OtherNamesInOverride.class })
	void expressionNamesTheParametersOfTheMethodThatIsAnnotated(Class<?> type) {
		Method method = pay(type);
		LockCall call = new LockCall(method, new Object(), type, new Object[] { "1", "2" });
		assertThat(RefusedMethods.methods(new DefaultListableBeanFactory())
			.get(method, type)
			.plan()
			.request(call)
			.lockKeys()).containsExactly("1-2");
	}

	private static Method pay(Class<?> type) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals("pay") && !method.isBridge())
			.findFirst()
			.orElseThrow();
	}

	interface Closable {

		void close();

	}

	interface Books {

		@DistributedLock("'books'")
		void close();

	}

	interface Stock {

		@DistributedLock("'stock'")
		void close();

	}

	static class Plain {

		public void close() {
		}

	}

	static class OfTwoInterfaces extends Plain implements Books, Stock {

	}

	@DistributedLock(name = "type")
	interface LockedType extends Closable {

	}

	static class OfMethodAndType extends Plain implements LockedType, Books {

	}

	@DistributedLock(name = "other type")
	interface OtherLockedType {

		void close();

	}

	static class OfTwoTypes extends Plain implements LockedType, OtherLockedType {

	}

	interface OfAnything<T> {

		@DistributedLock("'anything'")
		void close(T value);

	}

	interface OfText {

		@DistributedLock("'text'")
		void close(String text);

	}

	static class OfGenericInterfaces implements OfAnything<String>, OfText {

		@Override
		public void close(String text) {
		}

	}

	@DistributedLock(name = "reader")
	interface Reader {

		void read();

	}

	@DistributedLock(name = "writer")
	interface Writer {

		void write();

	}

	static class ReaderAndWriter implements Reader, Writer {

		@Override
		public void read() {
		}

		@Override
		public void write() {
		}

	}

	static class OwnMethod implements Books, Stock {

		@Override
		@DistributedLock("'own'")
		public void close() {
		}

	}

	@DistributedLock(name = "own")
	static class OwnType extends Plain implements Books, Stock {

	}

	static class BelowSuperclass extends OwnMethod implements Books {

		@Override
		public void close() {
		}

	}

	@DistributedLock(name = "library")
	interface Library extends Reader {

	}

	abstract static class OfLibrary implements Reader, Library {

		@Override
		public void read() {
		}

	}

	interface EqualBooks {

		@DistributedLock("'books'")
		void close();

	}

	static class OfEqual extends Plain implements Books, EqualBooks {

	}

	@DistributedLock(name = "overloads")
	interface Overloads<T> extends OfText {

		void close(T value);

	}

	static class OfOverloads implements Overloads<Integer> {

		@Override
		public void close(Integer value) {
		}

		@Override
		public void close(String text) {
		}

	}

	@DistributedLock(name = "redeclaring")
	interface Redeclaring extends Books {

		@Override
		void close();

	}

	static class OfRedeclaring extends Plain implements Redeclaring {

	}

	@DistributedLock(name = "not redeclaring")
	interface NotRedeclaring extends Books {

	}

	static class OfNotRedeclaring extends Plain implements NotRedeclaring {

	}

	interface Overriding extends Books, Stock {

		@Override
		@DistributedLock("'overriding'")
		void close();

	}

	static class OfOverriding extends Plain implements Books, Overriding {

	}

	interface DefaultBooks {

		@DistributedLock("'default'")
		default void close() {
		}

	}

	interface OverridingDefault extends DefaultBooks {

		@Override
		@DistributedLock("'overriding'")
		void close();

	}

	static class OfOverriddenDefault extends Plain implements DefaultBooks, OverridingDefault {

	}

	static class OfDefaultAndOther extends Plain implements DefaultBooks, Books {

	}

	@DistributedLock(name = "super")
	static class LockedSuperclass {

	}

	static class NewMethod extends LockedSuperclass {

		public void other() {
		}

	}

	interface Handler<T> {

		void handle(T value);

	}

	static class TextHandler implements Handler<String> {

		@Override
		@DistributedLock("#value")
		public void handle(String value) {
		}

	}

	@DistributedLock("'composed'")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Composed {

	}

	static class Inherited {

		@Composed
		protected void work() {
		}

	}

	static class Inheriting extends Inherited {

	}

	@DistributedLock(name = "type")
	static class Alike {

		@Composed
		@DistributedLock("'composed'")
		void work() {
		}

	}

	@Composed
	static class NotMeant {

		public void work() {
		}

		void notPublic() {
		}

		public static void ofClass() {
		}

	}

	static class OnceAndLocked {

		@RunOnce(per = "1h")
		@DistributedLock("'a'")
		void work() {
		}

	}

	@Composed
	@DistributedLock("'b'")
	static class TwiceOnType {

		public void work() {
		}

	}

	static class None {

		@Deprecated
		void run() {
		}

	}

	interface Payments<T> {

		@DistributedLock("#from + '-' + #to")
		void pay(T from, T to);

	}

	static class OtherNames implements Payments<String> {

		@Override
		public void pay(String source, String target) {
		}

	}

	static class SwappedNames implements Payments<String> {

		@Override
		public void pay(String to, String from) {
		}

	}

	static class PaysByName {

		@DistributedLock("#from + '-' + #to")
		void pay(String from, String to) {
		}

	}

	static class OtherNamesInOverride extends PaysByName {

		@Override
		void pay(String number, String other) {
		}

	}

}
