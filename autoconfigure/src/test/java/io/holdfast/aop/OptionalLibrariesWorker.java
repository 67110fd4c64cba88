package io.holdfast.aop;

import io.holdfast.DistributedLock;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.OnFailure;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A JVM of {@link OptionalLibrariesTests}. Prints what becomes of a bean.
 */
final class OptionalLibrariesWorker {

	private OptionalLibrariesWorker() {
	}

	/**
	 * Run a worker.
	 * @param args the class of the bean
	 */
	public static void main(String[] args) throws ClassNotFoundException {
		try (AnnotationConfigApplicationContext context = LocalApplication.start(Class.forName(args[0]))) {
			Plain plain = context.getBean(Plain.class);
			LocalApplication.whileHeldElsewhere(context, "taken", () -> System.out
				.println(plain.work("free") + ", " + plain.work("taken") + ", " + plain.workOrSkip("taken")));
		}
		catch (BeanCreationException ex) {
			InvalidDistributedLockException cause = (InvalidDistributedLockException) ex.getMostSpecificCause();
			System.out.println(cause.getDescription() + ". " + cause.getAction());
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

	}

}
