package io.holdfast.aop;

import java.util.List;

import io.holdfast.DistributedLock;
import io.holdfast.LockRegistry;
import io.holdfast.LockSnapshot;
import io.holdfast.autoconfigure.FailureAnalyses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which annotations count where there are several above a method.
 */
class InheritedAnnotationsTests {

	private static <T> List<String> held(Class<? extends T> bean, Call<T> call) {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(bean)) {
			return call.on(context.getBean(bean));
		}
	}

	private static FailureAnalysis failure(Class<?> bean) {
		FailureAnalysis[] analysis = new FailureAnalysis[1];
		LocalApplication.with(bean).run((context) -> {
			assertThat(context).hasFailed();
			analysis[0] = FailureAnalyses.of(context.getStartupFailure());
		});
		return analysis[0];
	}

	@ParameterizedTest
	@ValueSource(classes = { OfTwoInterfaces.class, OfSuperclassAndInterface.class, OfMethodAndType.class,
			OfInheritedMethods.class, OfTwoAbove.class, OfGenericInterfaces.class, OfTwoTypes.class })
	void startFailsWhereAnnotationsFromAboveDiffer(Class<?> bean) {
		FailureAnalysis analysis = failure(bean);
		assertThat(analysis.getDescription()).contains("@DistributedLock on ", " and on ",
				" differ, and both apply to " + bean.getName() + ".close");
		assertThat(analysis.getAction()).isEqualTo(
				"Annotate the method in %s itself, which replaces both, or make them equal.".formatted(bean.getName()));
	}

	@Test
	void bothPlacesAreNamed() {
		assertThat(failure(OfTwoInterfaces.class).getDescription())
			.isEqualTo("@DistributedLock on %s.close() and on %s.close() differ, and both apply to %s.close()."
				.formatted(Books.class.getName(), Stock.class.getName(), OfTwoInterfaces.class.getName()));
		assertThat(failure(OfMethodAndType.class).getDescription())
			.contains(Books.class.getName() + ".close() and on " + LockedType.class.getName() + " differ");
	}

	@Test
	void annotationOfTheTypeThatHasTheMethodCounts() {
		assertThat(held(ReaderAndWriter.class, ReaderAndWriter::read)).containsExactly("reader");
		assertThat(held(ReaderAndWriter.class, ReaderAndWriter::write)).containsExactly("writer");
		assertThat(held(ReaderAndWriter.class, ReaderAndWriter::other)).isEmpty();
	}

	@Test
	void typeHasTheMethodsThatItInherits() {
		assertThat(held(OfExtended.class, OfExtended::read)).containsExactly("extended");
	}

	@Test
	void ownAnnotationReplacesThoseFromAbove() {
		assertThat(held(OwnMethod.class, OwnMethod::close)).containsExactly("own");
		assertThat(held(OwnType.class, OwnType::close)).containsExactly("own");
		assertThat(held(InheritingOwnMethod.class, InheritingOwnMethod::close)).containsExactly("own");
	}

	@Test
	void equalAnnotationsAreNoConflict() {
		assertThat(held(Diamond.class, Diamond::close)).containsExactly("books");
		assertThat(held(OfEqual.class, OfEqual::close)).containsExactly("books");
	}

	@Test
	void nearerTypeOverridesThoseThatItExtends() {
		assertThat(held(OfOverriding.class, OfOverriding::close)).containsExactly("overriding");
		assertThat(held(BelowSuperclass.class, BelowSuperclass::close)).containsExactly("own");
	}

	@Test
	void interfaceOfASubclassCountsForAMethodThatIsInherited() {
		assertThat(held(NamingInterface.class, NamingInterface::close)).containsExactly("books");
	}

	@Test
	void annotationOfAClassStandsForTheMethodsThatItInherits() {
		assertThat(held(NamingType.class, (bean) -> bean.close("7"))).containsExactly("inherited:7");
	}

	@Test
	void methodsCalledThroughBridgesAreLocked() {
		assertThat(held(TextHandler.class, (Handler<String> handler) -> handler.handle("text")))
			.containsExactly("text");
		assertThat(held(Inheriting.class, Inheriting::inherited)).containsExactly("inherited");
	}

	@Test
	void annotationOfASuperclassStandsForTheMethodsOfItsSubclasses() {
		assertThat(held(NewMethod.class, NewMethod::other)).containsExactly("super");
	}

	@Test
	void expressionNamesTheParametersOfTheMethodThatIsAnnotated() {
		assertThat(held(OtherNames.class, (bean) -> bean.pay("1", "2"))).containsExactly("1-2");
		assertThat(held(SwappedNames.class, (bean) -> bean.pay("1", "2"))).containsExactly("1-2");
		assertThat(held(OtherNamesInOverride.class, (bean) -> bean.pay("1"))).containsExactly("1");
	}

	@Test
	void messageNamesTheMethodThatIsAnnotated() {
		FailureAnalysis analysis = failure(OfMistaken.class);
		assertThat(analysis.getDescription()).isEqualTo(
				"The attribute 'key' of @DistributedLock on %s.pay(String) refers to \"#nr\", which is not a parameter of the method: \"#nr\"."
					.formatted(Mistaken.class.getName()));
		assertThat(analysis.getAction()).isEqualTo("Use a parameter: #id (or #p0).");
	}

	interface Call<T> {

		List<String> on(T bean);

	}

	abstract static class Bean {

		@Autowired
		private LockRegistry registry;

		List<String> held() {
			return this.registry.held().stream().map(LockSnapshot::keys).flatMap(List::stream).toList();
		}

	}

	interface Books {

		@DistributedLock("'books'")
		List<String> close();

	}

	interface Stock {

		@DistributedLock("'stock'")
		List<String> close();

	}

	static class OfTwoInterfaces extends Bean implements Books, Stock {

		@Override
		public List<String> close() {
			return held();
		}

	}

	abstract static class Base extends Bean {

		@DistributedLock("'base'")
		public abstract List<String> close();

	}

	static class OfSuperclassAndInterface extends Base implements Stock {

		@Override
		public List<String> close() {
			return held();
		}

	}

	@DistributedLock(name = "type")
	interface LockedType {

		List<String> close();

	}

	static class OfMethodAndType extends Bean implements LockedType, Books {

		@Override
		public List<String> close() {
			return held();
		}

	}

	@DistributedLock(name = "other type")
	interface OtherLockedType {

		List<String> close();

	}

	static class OfTwoTypes extends Bean implements LockedType, OtherLockedType {

		@Override
		public List<String> close() {
			return held();
		}

	}

	interface BooksAndStock extends Books, Stock {

	}

	static class OfInheritedMethods extends Bean implements BooksAndStock {

		@Override
		public List<String> close() {
			return held();
		}

	}

	static class Unannotated extends Bean implements Books {

		@Override
		public List<String> close() {
			return held();
		}

	}

	static class OfTwoAbove extends Unannotated implements Stock {

	}

	interface OfAnything<T> {

		@DistributedLock("'anything'")
		List<String> close(T value);

	}

	interface OfText {

		@DistributedLock("'text'")
		List<String> close(String text);

	}

	static class OfGenericInterfaces extends Bean implements OfAnything<String>, OfText {

		@Override
		public List<String> close(String text) {
			return held();
		}

	}

	@DistributedLock(name = "reader")
	interface Reader {

		List<String> read();

	}

	@DistributedLock(name = "writer")
	interface Writer {

		List<String> write();

	}

	static class ReaderAndWriter extends Bean implements Reader, Writer {

		@Override
		public List<String> read() {
			return held();
		}

		@Override
		public List<String> write() {
			return held();
		}

		public List<String> other() {
			return held();
		}

	}

	@DistributedLock(name = "extended")
	interface Extended extends Reader {

	}

	static class OfExtended extends Bean implements Reader, Extended {

		@Override
		public List<String> read() {
			return held();
		}

	}

	static class OwnMethod extends Base implements Books, Stock {

		@Override
		@DistributedLock("'own'")
		public List<String> close() {
			return held();
		}

	}

	@DistributedLock(name = "own")
	static class OwnType extends Base implements Books, Stock {

		@Override
		public List<String> close() {
			return held();
		}

	}

	static class InheritingOwnMethod extends OwnMethod implements Stock {

	}

	interface MoreBooks extends Books {

	}

	static class Diamond extends Unannotated implements Books, MoreBooks {

		@Override
		public List<String> close() {
			return held();
		}

	}

	interface EqualBooks {

		@DistributedLock("'books'")
		List<String> close();

	}

	static class OfEqual extends Bean implements Books, EqualBooks {

		@Override
		public List<String> close() {
			return held();
		}

	}

	interface Overriding extends Books, Stock {

		@Override
		@DistributedLock("'overriding'")
		List<String> close();

	}

	static class OfOverriding extends Bean implements Books, Overriding {

		@Override
		public List<String> close() {
			return held();
		}

	}

	static class BelowSuperclass extends OwnMethod implements Books {

		@Override
		public List<String> close() {
			return held();
		}

	}

	static class NamelessSuperclass extends Bean {

		public List<String> close() {
			return held();
		}

	}

	static class NamingInterface extends NamelessSuperclass implements Books {

	}

	@DistributedLock(name = "super")
	static class LockedSuperclass extends Bean {

	}

	static class NewMethod extends LockedSuperclass {

		public List<String> other() {
			return held();
		}

	}

	abstract static class Closing<T> extends Bean {

		public List<String> close(T value) {
			return held();
		}

	}

	@DistributedLock(name = "inherited", key = "#p0")
	static class NamingType extends Closing<String> {

	}

	interface Handler<T> {

		List<String> handle(T value);

	}

	static class TextHandler extends Bean implements Handler<String> {

		@Override
		@DistributedLock("#value")
		public List<String> handle(String value) {
			return held();
		}

	}

	static class Inherited extends Bean {

		@DistributedLock("'inherited'")
		public List<String> inherited() {
			return held();
		}

	}

	public static class Inheriting extends Inherited {

	}

	interface Payments<T> {

		@DistributedLock("#from + '-' + #to")
		List<String> pay(T from, T to);

	}

	static class OtherNames extends Bean implements Payments<String> {

		@Override
		public List<String> pay(String source, String target) {
			return held();
		}

	}

	static class SwappedNames extends Bean implements Payments<String> {

		@Override
		public List<String> pay(String to, String from) {
			return held();
		}

	}

	static class PaysById extends Bean {

		@DistributedLock("#id")
		List<String> pay(String id) {
			return held();
		}

	}

	static class OtherNamesInOverride extends PaysById {

		@Override
		List<String> pay(String number) {
			return held();
		}

	}

	interface Mistaken {

		@DistributedLock("#nr")
		void pay(String id);

	}

	static class OfMistaken implements Mistaken {

		@Override
		public void pay(String nr) {
		}

	}

}
