package io.holdfast.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A JVM of {@link OptionalLibrariesTests}. Prints what becomes of beans.
 */
final class OptionalLibrariesWorker {

	private OptionalLibrariesWorker() {
	}

	/**
	 * Run a worker.
	 * @param args the classes of the beans
	 */
	public static void main(String[] args) throws ClassNotFoundException {
		List<String> outcomes = new ArrayList<>();
		for (String bean : args) {
			outcomes.add(outcome(Class.forName(OptionalLibrariesWorker.class.getPackageName() + "." + bean)));
		}
		System.out.println(String.join(" | ", outcomes));
	}

	private static String outcome(Class<?> bean) {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(bean)) {
			Plain plain = context.getBean(Plain.class);
			List<Object> results = new ArrayList<>();
			LocalApplication.whileHeldElsewhere(context, "taken", () -> results.addAll(List.of(plain.work("free"),
					plain.work("taken"), plain.workOrSkip("taken"), plain.workLater("later").join())));
			return results.stream().map(Object::toString).collect(Collectors.joining(", "));
		}
		catch (BeanCreationException ex) {
			InvalidDistributedLockException cause = (InvalidDistributedLockException) ex.getMostSpecificCause();
			return cause.getMessage() + ". " + cause.getAction();
		}
	}

	static class Plain {

		@DistributedLock(key = "#key", fallback = "instead")
		String work(String key) {
			return key;
		}

		private String instead(String key, LockNotAcquiredException failure) {
			return "not " + key;
		}

		@DistributedLock(key = "#key", onFailure = OnFailure.SKIP)
		int workOrSkip(String key) {
			return 1;
		}

		@DistributedLock("#key")
		CompletableFuture<String> workLater(String key) {
			return CompletableFuture.completedFuture(key);
		}

	}

}
