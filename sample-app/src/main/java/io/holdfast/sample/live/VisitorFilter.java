package io.holdfast.sample.live;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The sample has no login, so this and the address that it listens on are all that keeps
 * others out: what is asked of a host that the sample is not is refused, because a name
 * that another site has pointed to this machine would make that site's page one of ours
 * in the eyes of the browser; and so is a change that another site's page tells a browser
 * to ask for. Browsers are told that no other page may show this one in a frame.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class VisitorFilter extends OncePerRequestFilter {

	private static final String POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
			+ "frame-ancestors 'none'";

	private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

	/**
	 * Requests that change nothing. Other sites cannot read what is answered.
	 */
	private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

	/**
	 * What browsers say of requests that this page, or the user, has made.
	 */
	private static final Set<String> OWN = Set.of("same-origin", "none");

	private final Set<String> hosts;

	/**
	 * Create the filter.
	 * @param hosts names to serve besides those of this machine for itself
	 */
	VisitorFilter(@Value("${sample.web.hosts:}") Set<String> hosts) {
		this.hosts = hosts;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy", POLICY);
		response.setHeader("X-Content-Type-Options", "nosniff");
		if (!isServed(request.getServerName())) {
			response.setStatus(HttpStatus.FORBIDDEN.value());
			response.setContentType(MediaType.TEXT_PLAIN_VALUE);
			response.getWriter()
				.println("The sample is not served under this name. If it is to be, add it to sample.web.hosts");
		}
		else if (!SAFE.contains(request.getMethod()) && isForeign(request)) {
			response.sendError(HttpStatus.FORBIDDEN.value());
		}
		else {
			chain.doFilter(request, response);
		}
	}

	private boolean isServed(String name) {
		return LOOPBACK.contains(name.toLowerCase(Locale.ROOT)) || this.hosts.stream().anyMatch(name::equalsIgnoreCase);
	}

	/**
	 * Return whether a browser says so, in the words of today or, where those are
	 * missing, of older ones. Other clients say nothing.
	 */
	private static boolean isForeign(HttpServletRequest request) {
		String site = request.getHeader("Sec-Fetch-Site");
		return (site != null) ? !OWN.contains(site)
				: isForeign(request.getHeader(HttpHeaders.ORIGIN), request.getHeader(HttpHeaders.HOST));
	}

	private static boolean isForeign(@Nullable String origin, @Nullable String host) {
		return origin != null && !origin.substring(origin.indexOf("//") + 2).equalsIgnoreCase(host);
	}

}
