package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** What all peers do, with {@value #CALLERS} callers. */
public enum Workload {
  /** All callers write to one object. */
  PUT_ONE("durable put, one object", "one", 1, true),
  /** Each caller goes around its own of a thousand objects and writes. */
  PUT_MANY("durable put, 1,000 objects", "many", 1_000, true),
  /** The same objects, in memory where the peer has one, are read. */
  READ("read, 1,000 objects", "many", 1_000, false),
  /** Each call writes to an object that did not exist. */
  NEW_OBJECT("first put of a new object", "new", 0, true),
  /** Each call reads an object that is not in the process's memory, and drops it again. */
  COLD_OBJECT("read of a cold object", "cold", 2_000, false);

  /** The number of callers of every workload. */
  public static final int CALLERS = 64;

  private static final int VALUE_BYTES = 100;

  private static final AtomicInteger CREATED = new AtomicInteger();

  private final String title;
  private final String prefix;
  private final int objects;
  private final boolean writes;

  Workload(String title, String prefix, int objects, boolean writes) {
    this.title = title;
    this.prefix = prefix;
    this.objects = objects;
    this.writes = writes;
  }

  /** {@return the name in tables and targets} */
  public String title() {
    return title;
  }

  /** {@return whether an object is used again and again, so that a peer may keep it open} */
  public static boolean isKept(String object) {
    return object.startsWith(PUT_MANY.prefix) || object.startsWith(PUT_ONE.prefix);
  }

  /** {@return whether each call is acknowledged when it is durable} */
  public boolean writes() {
    return writes;
  }

  /** Makes the objects; new ones are made by the calls. */
  void prepare(Session session) throws Exception {
    for (int i = 0; i < objects; i++) {
      session.put(prefix + i, value());
    }
  }

  /** {@return the call of one caller} */
  Call call(Session session, int caller) {
    return switch (this) {
      case PUT_ONE -> () -> session.put(prefix + 0, value());
      case PUT_MANY -> over(caller, name -> session.put(name, value()));
      case READ -> over(caller, name -> requireValue(session.read(name), name));
      case NEW_OBJECT -> () -> session.put(prefix + CREATED.getAndIncrement(), value());
      case COLD_OBJECT -> over(caller, name -> requireValue(session.readCold(name), name));
    };
  }

  @FunctionalInterface
  private interface Operation {
    void on(String name) throws Exception;
  }

  /** Each caller cycles through its own objects. */
  private Call over(int caller, Operation operation) {
    String[] names = new String[(objects - caller + CALLERS - 1) / CALLERS];
    for (int i = 0; i < names.length; i++) {
      names[i] = prefix + (caller + i * CALLERS);
    }
    return new Call() {
      private int next;

      @Override
      public void call() throws Exception {
        operation.on(names[next]);
        next = next + 1 == names.length ? 0 : next + 1;
      }
    };
  }

  /** A read that found nothing would look fast. */
  private static void requireValue(int bytes, String name) {
    if (bytes != VALUE_BYTES) {
      throw new IllegalStateException(name + " has a value of " + bytes + " bytes");
    }
  }

  /** Letters, so that each peer can keep them as what it likes best; never the same. */
  private static byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < VALUE_BYTES; i++) {
      value[i] = (byte) ('a' + random.nextInt(26));
    }
    return value;
  }
}
