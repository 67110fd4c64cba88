package io.holdfast.test;

import java.io.IOException;

/**
 * Ends a process when this JVM is gone, however that has come about: a shell that waits
 * for the end of what this JVM writes to it.
 */
public final class OrphanGuard implements AutoCloseable {

	private final Process shell;

	public OrphanGuard(ProcessHandle process) throws IOException {
		this.shell = new ProcessBuilder("sh", "-c", "read line; kill -9 " + process.pid()).start();
	}

	/**
	 * Leave it alone from now on: its number may be given to another.
	 */
	@Override
	public void close() {
		this.shell.destroyForcibly();
	}

}
