package io.holdfast.sample.live;

import java.io.IOException;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses to do what another site's page tells a browser to ask for. The sample has no
 * login, so this, {@link ServedHostFilter} and the address that it listens on are all
 * that keeps others out.
 */
@Component
@Order(3)
class SameOriginFilter extends OncePerRequestFilter {

	/**
	 * Requests that change nothing. Other sites cannot read what is answered.
	 */
	private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

	/**
	 * What browsers say of requests that this page, or the user, has made.
	 */
	private static final Set<String> OWN = Set.of("same-origin", "none");

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (!SAFE.contains(request.getMethod()) && isForeign(request)) {
			response.sendError(HttpStatus.FORBIDDEN.value());
			return;
		}
		chain.doFilter(request, response);
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
