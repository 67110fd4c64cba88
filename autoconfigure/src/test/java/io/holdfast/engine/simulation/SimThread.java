package io.holdfast.engine.simulation;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread of an episode. Runs only while it has the baton, which it hands over at its
 * seams: whenever it reads its clock, parks, takes a lock, asks the store.
 */
final class SimThread extends Thread {

	private static final int MOST_ENDS = 100;

	private final Scheduler scheduler;

	private final Host host;

	private final Runnable task;

	private final long id;

	private volatile boolean baton;

	private volatile boolean abandoned;

	private int ends;

	private boolean interruptPending;

	private boolean parked;

	private boolean permit;

	/**
	 * Until when it sleeps, or cannot run for another reason; {@link Scheduler#NEVER} if
	 * somebody has to wake it.
	 */
	private long asleepUntil;

	private long stalledUntil;

	private long runnableSince;

	SimThread(Scheduler scheduler, Host host, String name, long id, Runnable task) {
		super(null, null, host.name() + "/" + name + "-" + host.nextThread(), 0, false);
		this.scheduler = scheduler;
		this.host = host;
		this.task = task;
		this.id = id;
		setDaemon(true);
	}

	static SimThread current() {
		return (SimThread) Thread.currentThread();
	}

	@Override
	@SuppressWarnings("deprecation")
	public long getId() {
		return this.id;
	}

	Host host() {
		return this.host;
	}

	@Override
	public void start() {
		this.runnableSince = this.scheduler.now();
		this.scheduler.register(this);
		super.start();
	}

	@Override
	public void run() {
		try {
			awaitBaton();
			this.task.run();
		}
		catch (SimulationEnd ex) {
			// as all that are left
		}
		catch (Throwable ex) {
			this.scheduler.uncaught(this, ex);
		}
		finally {
			this.scheduler.ended(this);
		}
	}

	/**
	 * End this, which is the current thread. One that catches whatever is thrown is
	 * abandoned after some time.
	 */
	void end() {
		if (++this.ends > MOST_ENDS) {
			this.abandoned = true;
			this.scheduler.ended(this);
			while (true) {
				LockSupport.park(this);
			}
		}
		throw new SimulationEnd();
	}

	boolean isAbandoned() {
		return this.abandoned;
	}

	@Override
	public void interrupt() {
		if (this == Thread.currentThread()) {
			super.interrupt();
			return;
		}
		this.interruptPending = true;
		if (this.parked) {
			wake();
		}
	}

	void park(long until) {
		if (!this.permit && !isInterrupted()) {
			this.parked = true;
			this.scheduler.sleep(until);
			this.parked = false;
		}
		this.permit = false;
	}

	void unpark() {
		this.permit = true;
		if (this.parked) {
			wake();
		}
	}

	void fallAsleep(long until) {
		this.asleepUntil = until;
		this.runnableSince = until;
	}

	void wake() {
		long now = this.scheduler.now();
		if (this.asleepUntil > now) {
			this.asleepUntil = now;
			this.runnableSince = now;
		}
	}

	void awaken() {
		this.asleepUntil = 0;
	}

	void stall(long until) {
		fallAsleep(until);
		this.stalledUntil = until;
	}

	boolean isBusy(long now) {
		return runnableFrom() <= now || Math.max(this.stalledUntil, this.host.stalledUntil()) > now;
	}

	long runnableFrom() {
		return Math.max(this.asleepUntil, this.host.stalledUntil());
	}

	long runnableSince() {
		return Math.max(this.runnableSince, this.host.stalledUntil());
	}

	void giveBaton() {
		this.baton = true;
		LockSupport.unpark(this);
	}

	void awaitBaton() {
		boolean interrupted = Thread.interrupted();
		while (!this.baton) {
			LockSupport.park(this);
		}
		this.baton = false;
		if (interrupted || this.interruptPending) {
			this.interruptPending = false;
			super.interrupt();
		}
		this.scheduler.endIfOver();
	}

	static final class SimulationEnd extends Error {

		private static final long serialVersionUID = 1L;

		private SimulationEnd() {
			super("The episode is over", null, false, false);
		}

	}

}
