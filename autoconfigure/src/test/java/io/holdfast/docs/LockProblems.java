package io.holdfast.docs;

import io.holdfast.LockLostException;
import io.holdfast.LockNotAcquiredException;
import io.holdfast.LockUnavailableException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

// snippet: http-answers
@RestControllerAdvice
class LockProblems {

	@ExceptionHandler
	ProblemDetail taken(LockNotAcquiredException ex) {
		// keep the key and the holder to yourself: they are internal
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "Another request is changing this");
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockUnavailableException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"Try again in a moment");
		return ResponseEntity.of(problem).header(HttpHeaders.RETRY_AFTER, "5").build();
	}

	@ExceptionHandler({ LockLostException.class, IllegalMonitorStateException.class })
	ProblemDetail lost() {
		return ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR,
				"This may have been done or not: check before you repeat it");
	}

}
// end
