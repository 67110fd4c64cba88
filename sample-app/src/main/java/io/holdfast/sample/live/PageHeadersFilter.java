package io.holdfast.sample.live;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Tells browsers what the page may do: use what is served with it, and nothing else; and
 * that no other page may show it in a frame, where a user could be led to click.
 */
@Component
@Order(1)
class PageHeadersFilter extends OncePerRequestFilter {

	private static final String POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
			+ "frame-ancestors 'none'";

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		response.setHeader("Content-Security-Policy", POLICY);
		response.setHeader("X-Content-Type-Options", "nosniff");
		chain.doFilter(request, response);
	}

}
