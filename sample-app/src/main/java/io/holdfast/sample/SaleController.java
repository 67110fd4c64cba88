package io.holdfast.sample;

import io.holdfast.LockException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Runs rushes over HTTP.
 *
 * <p>
 * A rush begins a new sale with a full stock, unless it is asked not to restock: then it
 * joins the sale that is on, be it from this instance or another one that uses the same
 * database. That is how two instances compete: one of them begins a sale, then both join
 * it at the same time.
 *
 * <p>
 * {@code sold} and {@code oversold} count the orders of the whole sale, whoever took
 * them, up to the end of the rush; of several rushes that joined one sale, the last to
 * answer has seen all orders. {@code bought} counts those of the rush alone, so that the
 * {@code bought} of all rushes of a sale add up to its last {@code sold}. A rush that
 * restocks while another one runs ends that one's sale: whoever buys later buys in the
 * new sale, and is counted there.
 */
@RestController
@RequestMapping("/api/sale")
class SaleController {

	private static final int MAX_BUYERS = 10_000;

	private final RushRunner runner;

	SaleController(RushRunner runner) {
		this.runner = runner;
	}

	@PostMapping("/run")
	RushResult run(@RequestParam(defaultValue = "200") int buyers, @RequestParam(defaultValue = "true") boolean locked,
			@RequestParam(defaultValue = "true") boolean restock) {
		if (buyers < 1 || buyers > MAX_BUYERS) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"buyers must be from 1 to %d, not %d".formatted(MAX_BUYERS, buyers));
		}
		return this.runner.run(new Rush(buyers, locked, restock));
	}

	@ExceptionHandler
	ProblemDetail reportLockTrouble(LockException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, ex.getMessage());
	}

}
