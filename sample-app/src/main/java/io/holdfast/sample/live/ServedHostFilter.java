package io.holdfast.sample.live;

import java.io.IOException;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses whatever is asked of a host that the sample is not. A name that another site
 * has pointed to this machine would make the page of that site one of ours in the eyes of
 * the browser, which could then read all there is.
 */
@Component
@Order(2)
@EnableConfigurationProperties(ServedHosts.class)
class ServedHostFilter extends OncePerRequestFilter {

	private final ServedHosts served;

	ServedHostFilter(ServedHosts served) {
		this.served = served;
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		if (this.served.contains(request.getServerName())) {
			chain.doFilter(request, response);
			return;
		}
		response.setStatus(HttpStatus.FORBIDDEN.value());
		response.setContentType(MediaType.TEXT_PLAIN_VALUE);
		response.getWriter()
			.println("The sample is not served under this name. If it is to be, add it to sample.web.hosts");
	}

}
