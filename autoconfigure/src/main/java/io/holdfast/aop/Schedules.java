package io.holdfast.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringValueResolver;

final class Schedules {

	// The runs of an expression are not equally far apart
	private static final int COMPARED_RUNS = 100;

	private static final Duration MAX_EARLY = Duration.ofMinutes(1);

	private final StringValueResolver placeholders;

	Schedules(StringValueResolver placeholders) {
		this.placeholders = placeholders;
	}

	// Runs are never exactly as far apart as their schedule says: one that comes a little
	// early counts as the next one
	Duration minHold(Method method, Duration per) {
		Duration interval = shortestInterval(method);
		if (interval == null || per.compareTo(interval) > 0) {
			return per;
		}
		Duration early = interval.dividedBy(10);
		Duration latest = interval.minus((early.compareTo(MAX_EARLY) < 0) ? early : MAX_EARLY);
		return (per.compareTo(latest) < 0) ? per : latest;
	}

	private @Nullable Duration shortestInterval(Method method) {
		return MergedAnnotations.from(method)
			.stream(Scheduled.class)
			.map(MergedAnnotation::synthesize)
			.flatMap(this::intervals)
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	private Stream<Duration> intervals(Scheduled scheduled) {
		try {
			Stream<Duration> fixed = Stream
				.of(scheduled.fixedRateString(), scheduled.fixedDelayString(), positive(scheduled.fixedRate()),
						positive(scheduled.fixedDelay()))
				.map((text) -> interval(text, scheduled.timeUnit()));
			return Stream.concat(fixed, Stream.of(shortestOfCron(scheduled.cron()))).filter(Objects::nonNull);
		}
		catch (IllegalArgumentException | BeansException ex) {
			return Stream.empty(); // Spring refuses it
		}
	}

	private static String positive(long interval) {
		return (interval > 0) ? String.valueOf(interval) : "";
	}

	private @Nullable Duration interval(String text, TimeUnit unit) {
		String resolved = resolve(text);
		return resolved.isEmpty() ? null : DurationStyle.detectAndParse(resolved, unit.toChronoUnit());
	}

	private @Nullable Duration shortestOfCron(String text) {
		String resolved = resolve(text);
		if (resolved.isEmpty() || resolved.equals(Scheduled.CRON_DISABLED)) {
			return null;
		}
		CronExpression cron = CronExpression.parse(resolved);
		List<LocalDateTime> runs = Stream.iterate(cron.next(LocalDateTime.now()), Objects::nonNull, cron::next)
			.limit(COMPARED_RUNS)
			.toList();
		return IntStream.range(1, runs.size())
			.mapToObj((i) -> Duration.between(runs.get(i - 1), runs.get(i)))
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	private String resolve(String text) {
		String resolved = text.isBlank() ? "" : this.placeholders.resolveStringValue(text);
		return (resolved != null) ? resolved.trim() : "";
	}

}
