package io.holdfast.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records virtual threads that keep their carriers while they wait, from its creation on.
 */
public final class PinnedThreads implements AutoCloseable {

	private final Path file;

	private final Recording recording = new Recording();

	public PinnedThreads(Path file) {
		this.file = file;
		this.recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO).withStackTrace();
		this.recording.start();
	}

	public List<RecordedEvent> found() {
		this.recording.stop();
		try {
			this.recording.dump(this.file);
			return RecordingFile.readAllEvents(this.file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		this.recording.close();
	}

}
