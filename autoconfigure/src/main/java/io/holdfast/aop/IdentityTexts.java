package io.holdfast.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.ReflectiveMethodExecutor;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Refuses keys that depend on the identity of an object, as {@code Order@1b2c3d} does:
 * equal objects would have different keys. They are refused where an object becomes a
 * text or a hash code, because only there is the object known. The text of a key alone
 * can look like that by chance.
 */
final class IdentityTexts {

	// An array or an object in the text of another object. A mail address is none, and a
	// name without a package neither: no class is to be looked up for them at each call
	private static final Pattern NAMED = Pattern
		.compile("(\\[+(?:[BCDFIJSZ]|L[^;@]+;)" + "|\\p{javaJavaIdentifierPart}+(?:\\.\\p{javaJavaIdentifierPart}+)+)"
				+ "@(?:[0-9a-f]{5,8}(?!\\.\\w)|[0-9a-f]{1,4}(?!\\.?[\\w-]))");

	private final @Nullable ClassLoader classLoader;

	IdentityTexts(@Nullable ClassLoader classLoader) {
		this.classLoader = classLoader;
	}

	StandardEvaluationContext refusedIn(StandardEvaluationContext context) {
		StandardEvaluationContext checked = new StandardEvaluationContext();
		context.applyDelegatesTo(checked);
		checked.setTypeConverter(new CheckedConverter(context.getTypeConverter()));
		checked.setMethodResolvers(List.of(new CheckedResolver()));
		return checked;
	}

	String of(Object value) {
		return checked((value instanceof byte[] bytes) ? HexFormat.of().formatHex(bytes) : value.toString(), value);
	}

	private String checked(String text, Object source) {
		if (text.indexOf('@') >= 0) {
			refuse(identities(source).filter(text::contains));
		}
		return text;
	}

	private static void refuse(Stream<String> identities) {
		identities.findFirst().ifPresent((identity) -> {
			throw new IdentityException(identity);
		});
	}

	private Stream<String> identities(@Nullable Object value) {
		if (value == null || (BeanUtils.isSimpleValueType(value.getClass()) && !isDefault(value.toString(), value))) {
			return Stream.empty();
		}
		Stream<String> inside = isContainer(value) ? elements(value).flatMap(this::identities) : Stream.empty();
		boolean hasTextOfItsOwn = !isContainer(value) || value instanceof Record;
		return Stream.of(Stream.of(identity(value)), inside, hasTextOfItsOwn ? named(value) : Stream.<String>empty())
			.flatMap(Function.identity());
	}

	private static String identity(Object value) {
		return value.getClass().getName() + "@" + Integer.toHexString(System.identityHashCode(value));
	}

	private Stream<String> named(Object value) {
		String text = value.toString();
		if (isDefault(text, value)) {
			return Stream.of(text);
		}
		return NAMED.matcher(text)
			.results()
			.filter((named) -> isObject(named.group(1), text.startsWith("[", named.end())))
			.map(MatchResult::group);
	}

	// The hash code of a URL takes a look-up of its host: it is asked for only where it
	// may be in the text
	private static boolean isDefault(String text, Object value) {
		String beginning = value.getClass().getName() + "@";
		return text.startsWith(beginning) && text.equals(beginning + Integer.toHexString(value.hashCode()));
	}

	// Libraries that build texts begin them with the identity, and the properties follow
	// in brackets
	private boolean isObject(String className, boolean described) {
		return className.startsWith("[") || (ClassUtils.isPresent(className, this.classLoader)
				&& (described || !overridesToString(ClassUtils.resolveClassName(className, this.classLoader))));
	}

	private static boolean overridesToString(Class<?> type) {
		return ReflectionUtils.getUniqueDeclaredMethods(type, (method) -> method.getName().equals("toString")
				&& method.getParameterCount() == 0 && method.getDeclaringClass() != Object.class).length > 0;
	}

	private static boolean isContainer(Object value) {
		return value instanceof Collection || value instanceof Map || value instanceof Optional
				|| value instanceof Record || value instanceof Object[];
	}

	private static Stream<?> elements(Object container) {
		if (container instanceof Map<?, ?> map) {
			return Stream.concat(map.keySet().stream(), map.values().stream());
		}
		if (container instanceof Optional<?> optional) {
			return optional.stream();
		}
		if (container instanceof Record) {
			return Arrays.stream(container.getClass().getRecordComponents())
				.map(RecordComponent::getAccessor)
				.filter(AccessibleObject::trySetAccessible)
				.map((accessor) -> ReflectionUtils.invokeMethod(accessor, container));
		}
		return (container instanceof Collection<?> collection) ? collection.stream()
				: Arrays.stream((Object[]) container);
	}

	// The hash code of an enum is its identity, too: it is another one in each JVM
	private boolean hasIdentityHash(@Nullable Object value) {
		if (value == null) {
			return false;
		}
		return value.hashCode() == System.identityHashCode(value)
				|| (isContainer(value) && elements(value).anyMatch(this::hasIdentityHash));
	}

	/**
	 * Of this type, because Spring caches no methods that other resolvers have found.
	 */
	private final class CheckedResolver extends ReflectiveMethodResolver {

		@Override
		public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
				List<TypeDescriptor> argumentTypes) throws AccessException {
			MethodExecutor executor = super.resolve(context, target, name, argumentTypes);
			return (executor != null) ? new CheckedExecutor(executor, name) : null;
		}

	}

	private final class CheckedConverter implements TypeConverter {

		private final TypeConverter converter;

		CheckedConverter(TypeConverter converter) {
			this.converter = converter;
		}

		@Override
		public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return target.getType() == String.class || this.converter.canConvert(source, target);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor source,
				TypeDescriptor target) {
			if (target.getType() != String.class || value == null) {
				return this.converter.convertValue(value, source, target);
			}
			if (value instanceof byte[] || !this.converter.canConvert(source, target)) {
				return of(value);
			}
			return checked(String.valueOf(this.converter.convertValue(value, source, target)), value);
		}

	}

	private final class CheckedExecutor implements MethodExecutor {

		private final MethodExecutor executor;

		private final String name;

		CheckedExecutor(MethodExecutor executor, String name) {
			this.executor = executor;
			this.name = name;
		}

		@Override
		public TypedValue execute(EvaluationContext context, Object target, @Nullable Object... arguments)
				throws AccessException {
			TypedValue result = this.executor.execute(context, target, arguments);
			if (result.getValue() instanceof CharSequence text && text.toString().indexOf('@') >= 0) {
				refuse(sources(target, arguments).flatMap(this::identitiesOf).filter(text.toString()::contains));
			}
			if (result.getValue() instanceof Integer hash) {
				refuse(sources(target, arguments)
					.filter((source) -> isIdentityHash(hash, source, target, arguments.length))
					.map(IdentityTexts::identity));
			}
			return result;
		}

		private static Stream<Object> sources(Object target, @Nullable Object[] arguments) {
			return Stream.concat(Stream.of(target), Arrays.stream(arguments).filter(Objects::nonNull))
				.filter((source) -> !(source instanceof Class));
		}

		// A method of the application may take an object from which it reads a property:
		// that is no reason to ask for the object's text
		private Stream<String> identitiesOf(Object source) {
			return (this.name.equals("toString") || isOfJdk()) ? identities(source) : Stream.of(identity(source));
		}

		private boolean isOfJdk() {
			return this.executor instanceof ReflectiveMethodExecutor reflective
					&& reflective.getMethod().getDeclaringClass().getName().startsWith("java.");
		}

		// What Arrays and Objects make of one array depends on its elements
		private boolean isIdentityHash(int hash, Object source, Object target, int arguments) {
			if (hash == System.identityHashCode(source)) {
				return true;
			}
			boolean ofJdk = target == Objects.class || target == Arrays.class;
			if (ofJdk && arguments == 1 && source.getClass().isArray()) {
				return isContainer(source) && elements(source).anyMatch(IdentityTexts.this::hasIdentityHash);
			}
			return (ofJdk || this.name.equals("hashCode")) && hasIdentityHash(source);
		}

	}

	static final class IdentityException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		IdentityException(String identity) {
			super(identity, null, false, false);
		}

	}

}
