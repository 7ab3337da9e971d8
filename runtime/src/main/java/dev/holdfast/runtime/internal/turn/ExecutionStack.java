package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.gate.CallOrder;
import dev.holdfast.runtime.internal.gate.Headroom;
import dev.holdfast.runtime.internal.gate.OutputGate;
import dev.holdfast.runtime.internal.gate.SentCall;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The executions of one thread: an object that calls another one runs both on its thread. Found by
 * one thread-local read; everything else is plain fields. Confined to its thread.
 */
public final class ExecutionStack {

  private static final ThreadLocal<ExecutionStack> CURRENT =
      ThreadLocal.withInitial(ExecutionStack::new);

  private static final AtomicLong SEEDS = new AtomicLong();

  private final Thread thread = Thread.currentThread();

  /** Never 0. Chooses the calls of this thread that are timed. */
  private long sampler = SEEDS.addAndGet(0x9E3779B97F4A7C15L) | 1;

  private @Nullable Execution top;

  private @Nullable EngineParts carrier;
  private long inheritedPosition = Journal.START;
  private @Nullable Produced origin;
  private @Nullable QueueWorker worker;
  private Cancellation cancellation = Cancellation.NEVER;

  /** Of the calls that this thread makes outside of all objects. */
  private Headers headers = Headers.NONE;

  /** Whether an action after a durable turn runs on this thread, or may wait for it. */
  private boolean ofAction;

  /** Whose call this thread makes; null for its own. */
  private @Nullable MadeFor madeFor;

  /** Whether no other thread may run the calls of this one. */
  private boolean keepsCalls;

  /** Of the calls that this thread makes outside of all objects; null before the first. */
  private @Nullable CallOrder order;

  /** The asynchronous call that this thread is to make, until it is delivered. */
  @Nullable SentCall sent;

  /** Why a runtime has refused the last call of this thread that was refused; null for none. */
  private @Nullable RuntimeException refusal;

  /** How deep the caller of that call was. */
  private int refusedDepth;

  private ExecutionStack() {}

  /** Those in other processes that wait for a call. */
  public interface MadeFor {

    /**
     * Called before the call queues, perhaps once more for another instance.
     *
     * @param call runs here
     */
    void made(Execution call);
  }

  /** {@return the stack of the current thread} */
  public static ExecutionStack current() {
    return CURRENT.get();
  }

  /** {@return the thread this is the stack of} */
  public Thread thread() {
    return thread;
  }

  /** {@return the innermost execution of this thread; null outside of all objects} */
  public @Nullable Execution top() {
    return top;
  }

  /** {@return the queue worker that this thread is; null if it is none} */
  @Nullable QueueWorker worker() {
    return worker;
  }

  void setWorker(QueueWorker own) {
    worker = own;
  }

  /**
   * Keeps the calls of this thread on it, also when it has to queue. The clock of a test sees how
   * its own thread waits, but not how another one waits on its behalf.
   */
  public void keepCalls() {
    keepsCalls = true;
  }

  boolean keepsCalls() {
    return keepsCalls;
  }

  /**
   * Chooses at random which calls are timed: one in {@link NamespaceRecorder#SAMPLING_WEIGHT}. Each
   * thread has a separate generator (xorshift); to share one costs more than a call.
   *
   * @return whether this one is
   */
  public boolean sample() {
    long next = sampler;
    next ^= next << 13;
    next ^= next >>> 7;
    next ^= next << 17;
    sampler = next;
    return (next & NamespaceRecorder.SAMPLING_WEIGHT - 1) == 0;
  }

  /** Proves that there is stack for the engine's own work; see {@link Turn#enterEngine}. */
  public void enterEngine() {
    Headroom.require();
  }

  /**
   * Enters or leaves an execution.
   *
   * @param execution the innermost one from now on
   */
  public void setTop(@Nullable Execution execution) {
    top = execution;
  }

  /**
   * Returns what every call made from outside of all objects by this thread depends on. A call of
   * another runtime than the one whose message this thread carries leaves that one: it waits for
   * that one's disk.
   *
   * @param called the runtime that is called
   * @return a position in its journal
   * @throws JournalFailedException if the journal of the other runtime has failed
   */
  public long inheritedPosition(EngineParts called) {
    EngineParts from = carrier;
    if (from == null || from.isSameRuntime(called)) {
      return inheritedPosition;
    }
    awaitLeaving();
    return Journal.START;
  }

  /**
   * Waits until what this thread carries may leave the runtime that it comes from.
   *
   * @throws JournalFailedException if the journal of that runtime has failed
   */
  public void awaitLeaving() {
    EngineParts from = carrier;
    if (from == null || (inheritedPosition == Journal.START && !from.journal().needsProof())) {
      return;
    }
    try {
      OutputGate.awaitLeaving(from.journal(), inheritedPosition);
    } catch (JournalFailedException e) {
      from.journalFailed(e);
      throw e;
    }
  }

  /**
   * Has another thread carry what this one carries.
   *
   * @param message goes out from here
   */
  public void passOn(Outgoing message) {
    message.send(carrier, inheritedPosition);
  }

  /**
   * Records that this thread carries a message of an object, though it runs outside of it.
   *
   * @param from the runtime it comes from; null if it comes from outside of all
   * @param position what the message depends on, in that runtime's journal
   * @param result what the thread is to bring about
   * @param ofCallers whether the callers still want it
   */
  public void carry(
      @Nullable EngineParts from, long position, Produced result, Cancellation ofCallers) {
    carrier = from;
    inheritedPosition = position;
    origin = result;
    cancellation = ofCallers;
  }

  /**
   * Sets how long the calls may wait that this thread makes outside of all objects.
   *
   * @param ofCallers whether the callers still want them
   */
  public void setCancellation(Cancellation ofCallers) {
    cancellation = ofCallers;
  }

  /**
   * Sets the headers of the calls that this thread makes outside of all objects.
   *
   * @param carried the headers
   */
  public void carryHeaders(Headers carried) {
    headers = carried;
  }

  /** {@return the headers that the calls made by this thread inherit} */
  public Headers headers() {
    Execution caller = top;
    return caller == null ? headers : caller.headers();
  }

  /** Records that an action after a durable turn runs on this thread, or may wait for it. */
  public void setOfAction() {
    ofAction = true;
  }

  /** {@return whether an action may wait for the calls that this thread makes} */
  public boolean isOfAction() {
    Execution caller = top;
    return caller == null ? ofAction : caller.isOfAction();
  }

  /**
   * Sets which asynchronous call this thread is to make.
   *
   * @param call not delivered yet; null for none
   */
  public void setSent(@Nullable SentCall call) {
    sent = call;
  }

  /**
   * {@return the asynchronous call that this thread is to make; null for none, or none any more}
   *
   * @param called the object that the thread calls
   */
  public @Nullable SentCall sentTo(ObjectKey called) {
    SentCall own = sent;
    // Else an object makes the call that runs on this thread, whose calls are not the object's.
    return own != null && top == null && own.target().equals(called) ? own : null;
  }

  /**
   * Records that an object has a call of this thread, or has refused it.
   *
   * @param called the object
   */
  public void recordDelivered(ObjectKey called) {
    SentCall own = sentTo(called);
    if (own != null) {
      sent = null;
      own.delivered();
    }
  }

  /**
   * Records that a runtime has refused a call of the caller on this thread: no object has it.
   *
   * @param why what the call throws
   * @return the same
   */
  public RuntimeException refused(RuntimeException why) {
    refusal = why;
    refusedDepth = depth();
    return why;
  }

  /**
   * {@return whether a runtime has refused the call that the caller on this thread has made; false
   * if an object had the call, and one of its calls was refused}
   *
   * @param thrown what the call has thrown
   */
  public boolean isRefusal(Throwable thrown) {
    return thrown.equals(refusal) && depth() == refusedDepth;
  }

  private int depth() {
    Execution caller = top;
    return caller == null ? 0 : caller.depth();
  }

  /** {@return the order of the asynchronous calls that the caller on this thread makes} */
  public CallOrder callOrder() {
    Execution caller = top;
    if (caller != null) {
      return caller.turn().work().callOrder();
    }
    CallOrder own = order;
    if (own == null) {
      own = new CallOrder();
      order = own;
    }
    return own;
  }

  /**
   * {@return whether a call that this thread makes now may have to wait for others; false if all
   * asynchronous calls of its caller are known to be delivered}
   */
  public boolean isOrdered() {
    Execution caller = top;
    return caller == null
        ? sent != null || (order != null && !order.isIdle())
        : caller.turn().work().isOrdered();
  }

  /**
   * Returns what a call made by the caller on this thread has to wait for.
   *
   * @param called the object that is called
   * @return the caller's last asynchronous call of that object; null if all of them are delivered
   */
  public @Nullable SentCall lastSent(ObjectKey called) {
    return isOrdered() ? callOrder().last(called) : null;
  }

  /**
   * {@return how long a call made by this thread may wait: not the wait of an object of another
   * runtime, which has begun already}
   */
  public Cancellation cancellation() {
    return top == null ? cancellation : Cancellation.NEVER;
  }

  /**
   * Records the call that this thread makes, for executions that wait for what the thread produces.
   *
   * @param call the call
   */
  public void recordCall(Execution call) {
    if (origin != null) {
      origin.setProducer(call);
    }
    if (madeFor != null) {
      call.setMadeFor(madeFor);
      madeFor.made(call);
    }
  }

  /** {@return whose call this thread makes; null for its own, or for the call of an object} */
  public @Nullable MadeFor madeFor() {
    return top == null ? madeFor : null;
  }

  /**
   * Sets whose call this thread makes.
   *
   * @param others those that wait for it in other processes; null for none
   */
  public void setMadeFor(@Nullable MadeFor others) {
    madeFor = others;
  }
}
