package io.holdfast.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.differential.NamedHold.NamedGrant;
import io.holdfast.engine.LockStore.Claim;
import io.holdfast.engine.LockStore.Grant;
import io.holdfast.engine.LockStore.HoldId;

/**
 * Names the tokens of a store by the claims that they were granted to, as their values
 * differ from store to store. Sees that they grow.
 */
final class Tokens {

	private static final long UNKNOWN = 1;

	private final Map<Grant, String> names = new HashMap<>();

	private final Map<NamedGrant, Long> values = new HashMap<>();

	private final Map<String, Long> last = new HashMap<>();

	private final List<NamedHold> holds = new ArrayList<>();

	private final List<Claim> claims = new ArrayList<>();

	NamedHold granted(Claim claim, HoldId granted) {
		NamedHold hold = new NamedHold(granted.holder(),
				granted.grants().stream().map((grant) -> name(claim, grant)).toList());
		this.holds.add(hold);
		this.claims.add(claim);
		return hold;
	}

	private NamedGrant name(Claim claim, Grant grant) {
		String name = this.names.get(grant);
		if (name == null) {
			name = unusedName(grant.key(), claim.owner() + "#" + claim.number());
			this.names.put(grant, name);
			this.values.put(new NamedGrant(grant.key(), name), grant.token());
			raise(grant.key(), grant.token());
		}
		return new NamedGrant(grant.key(), name);
	}

	void raise(String key, long token) {
		long before = this.last.getOrDefault(key, 0L);
		if (token <= before) {
			throw new IllegalStateException("The token of %s goes from %d to %d".formatted(key, before, token));
		}
		this.last.put(key, token);
	}

	private String unusedName(String key, String claim) {
		String name = claim;
		for (int i = 2; this.values.containsKey(new NamedGrant(key, name)); i++) {
			name = claim + "/" + i;
		}
		return name;
	}

	String name(String key, long token) {
		return this.names.getOrDefault(new Grant(key, token), "none");
	}

	long value(NamedGrant grant) {
		return this.values.getOrDefault(grant, UNKNOWN);
	}

	HoldId value(NamedHold hold) {
		return new HoldId(hold.holder(),
				hold.grants().stream().map((grant) -> new Grant(grant.key(), value(grant))).toList());
	}

	List<NamedHold> holds() {
		return this.holds;
	}

	List<Claim> claims() {
		return this.claims;
	}

}
