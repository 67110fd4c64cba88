package io.holdfast.sample.live;

import java.io.IOException;
import java.util.Set;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses to do what another site's page tells a browser to ask for. The sample has no
 * login, so this and the address that it listens on are all that keeps others out.
 */
@Component
class SameOriginFilter extends OncePerRequestFilter {

	/**
	 * What browsers say of requests that this page, or the user, has made.
	 */
	private static final Set<String> OWN = Set.of("same-origin", "none");

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (HttpMethod.POST.matches(request.getMethod()) && isForeign(request.getHeader("Sec-Fetch-Site"))) {
			response.sendError(HttpStatus.FORBIDDEN.value());
			return;
		}
		chain.doFilter(request, response);
	}

	/**
	 * Return whether a browser says so; other clients say nothing.
	 */
	private static boolean isForeign(@Nullable String site) {
		return site != null && !OWN.contains(site);
	}

}
