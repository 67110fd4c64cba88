package io.holdfast.sample.live;

import java.time.Duration;

import io.holdfast.engine.LockStoreException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Lets this instance hold the demo lock, and takes it away.
 */
@RestController
@RequestMapping("/api/hold")
class HoldController {

	private static final int MAX_SECONDS = 600;

	private final DemoHold hold;

	HoldController(DemoHold hold) {
		this.hold = hold;
	}

	@PostMapping
	@ResponseStatus(HttpStatus.ACCEPTED)
	void begin(@RequestParam(defaultValue = "30") int seconds) {
		if (seconds < 1 || seconds > MAX_SECONDS) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"seconds must be from 1 to %d, not %d".formatted(MAX_SECONDS, seconds));
		}
		if (!this.hold.begin(Duration.ofSeconds(seconds))) {
			throw new ResponseStatusException(HttpStatus.CONFLICT, "This instance holds the lock or waits for it");
		}
	}

	@PostMapping("/force-release")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void forceRelease() {
		if (!this.hold.forceRelease()) {
			throw new ResponseStatusException(HttpStatus.CONFLICT, "This instance does not hold the lock");
		}
	}

	@ExceptionHandler
	ProblemDetail reportStoreTrouble(LockStoreException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "Redis does not answer");
	}

}
