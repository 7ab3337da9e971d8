package dev.holdfast;

import dev.holdfast.alarm.AlarmPolicy;
import dev.holdfast.codec.Codec;
import dev.holdfast.sql.Migration;
import dev.holdfast.sql.SqlLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How the runtime runs the objects of one namespace. Immutable; change with the {@code with}
 * methods.
 *
 * @param storage the engine that keeps the data
 * @param idleTimeout how long an object without work stays in memory before it is evicted; more
 *     than zero
 * @param queueLengthMax the number of events that may wait for one object; further calls fail with
 *     {@link dev.holdfast.errors.ObjectOverloadedException}; at least 1
 * @param criticalSectionTimeout how long a critical section may take before the object is reset;
 *     more than zero
 * @param sqlLimits the limits of the SQL of one object
 * @param migrations the steps that create the tables of an object, in order
 * @param newerMigrationsAllowed whether objects may be used that a newer version of the application
 *     has migrated further
 * @param recoveryWindow how far back the state of an object can be restored. Zero keeps no history,
 *     which makes the journal smaller; more than 1,000 years count as 1,000 years. Namespaces share
 *     the journal, so disk space is freed after the longest window of all namespaces; states older
 *     than the window of this one are refused nevertheless
 * @param alarms what the runtime does when an alarm handler fails
 * @param codecs store values of classes that Holdfast cannot store by itself; the first that
 *     supports a class does
 * @param consistency what replies wait for in a cluster; no difference on a single machine
 */
public record NamespaceOptions(
    StorageKind storage,
    Duration idleTimeout,
    int queueLengthMax,
    Duration criticalSectionTimeout,
    SqlLimits sqlLimits,
    List<Migration> migrations,
    boolean newerMigrationsAllowed,
    Duration recoveryWindow,
    AlarmPolicy alarms,
    List<Codec<?>> codecs,
    Consistency consistency) {

  // Before the default, whose constructor reads it.
  private static final Duration RECOVERY_WINDOW_MAX = Duration.ofDays(365_000);

  /**
   * SQLite storage, eviction after 10 seconds, at most 100,000 waiting events, critical sections of
   * at most 30 seconds, history of 30 days, linearizable in a cluster. The reference runtime has
   * the same times.
   */
  public static final NamespaceOptions DEFAULT =
      new NamespaceOptions(
          StorageKind.SQLITE,
          Duration.ofSeconds(10),
          100_000,
          Duration.ofSeconds(30),
          SqlLimits.DEFAULT,
          List.of(),
          /* newerMigrationsAllowed= */ false,
          Duration.ofDays(30),
          AlarmPolicy.DEFAULT,
          List.of(),
          Consistency.LINEARIZABLE);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range, or two migrations
   *     have one name
   */
  public NamespaceOptions {
    migrations = List.copyOf(migrations);
    codecs = List.copyOf(codecs);
    Set<String> names = new HashSet<>();
    for (Migration step : migrations) {
      if (!names.add(step.name())) {
        throw new IllegalArgumentException(
            "Two migrations have the name \"" + step.name() + "\"; give each its own.");
      }
    }
    requirePositive("idleTimeout", idleTimeout);
    requirePositive("criticalSectionTimeout", criticalSectionTimeout);
    if (recoveryWindow.isNegative()) {
      throw new IllegalArgumentException("recoveryWindow must not be negative: " + recoveryWindow);
    }
    if (recoveryWindow.compareTo(RECOVERY_WINDOW_MAX) > 0) {
      recoveryWindow = RECOVERY_WINDOW_MAX; // times before it are still numbers of milliseconds
    }
    if (queueLengthMax < 1) {
      throw new IllegalArgumentException("queueLengthMax must be at least 1: " + queueLengthMax);
    }
  }

  /**
   * {@return these options with another storage engine}
   *
   * @param kind the storage engine
   */
  public NamespaceOptions withStorage(StorageKind kind) {
    return with(draft -> draft.storage = kind);
  }

  /**
   * {@return these options with another idle time}
   *
   * @param timeout the new time
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public NamespaceOptions withIdleTimeout(Duration timeout) {
    return with(draft -> draft.idleTimeout = timeout);
  }

  /**
   * {@return these options with another bound on waiting events}
   *
   * @param max the new bound
   * @throws IllegalArgumentException if the bound is less than 1
   */
  public NamespaceOptions withQueueLengthMax(int max) {
    return with(draft -> draft.queueLengthMax = max);
  }

  /**
   * {@return these options with another bound on critical sections}
   *
   * @param timeout the new time
   * @throws IllegalArgumentException if the time is zero or negative
   */
  public NamespaceOptions withCriticalSectionTimeout(Duration timeout) {
    return with(draft -> draft.criticalSectionTimeout = timeout);
  }

  /**
   * {@return these options with other SQL limits}
   *
   * @param limits the new limits
   */
  public NamespaceOptions withSqlLimits(SqlLimits limits) {
    return with(draft -> draft.sqlLimits = limits);
  }

  /**
   * Returns these options with other migrations.
   *
   * <p>When an object is activated, the runtime runs the steps that the object has not seen yet, in
   * order, before it asks the factory for an instance. It records them in a hidden table. All of
   * that is part of the instance's first batch: if a step or the factory fails, the object is
   * unchanged, and the error names the step and the reason. The steps up to the last one with
   * {@code PRAGMA foreign_keys = OFF} are separate batches before it, which stay; see {@link
   * dev.holdfast.sql.SqlMigration}. Steps are statements or code ({@link
   * dev.holdfast.sql.JavaMigration}), in any mix.
   *
   * <p>Migrations alone do not create an object: reads see the tables, but until the object writes
   * nothing is durable and the object is not listed. Its first batch contains all steps. So a step
   * may run more than once before the first write, each time on an object without data. The same
   * holds after {@code deleteAll}: all steps run again at the next activation.
   *
   * @param steps the steps, oldest first; they require SQLite storage
   * @return the options
   * @throws IllegalArgumentException if two steps have one name
   */
  public NamespaceOptions withMigrations(List<? extends Migration> steps) {
    return with(draft -> draft.migrations = List.copyOf(steps));
  }

  /**
   * Returns these options with or without objects that a newer version of the application has
   * migrated further: they have run all migrations of this namespace, in order, and then others.
   *
   * <p>Such an object is refused by default. It may be allowed for a rollback of the application if
   * the newer steps only add: tables, indexes, and columns with a default or without a value. Then
   * the statements and stored types of this version still fit. The runtime cannot check that. An
   * object that this version creates has run its own steps only; the newer version runs the others
   * when it comes back.
   *
   * @param allowed whether such objects may be used
   * @return the options
   */
  public NamespaceOptions withNewerMigrationsAllowed(boolean allowed) {
    return with(draft -> draft.newerMigrationsAllowed = allowed);
  }

  /**
   * {@return these options with another recovery window}
   *
   * @param window how far back; zero keeps no history
   * @throws IllegalArgumentException if the window is negative
   */
  public NamespaceOptions withRecoveryWindow(Duration window) {
    return with(draft -> draft.recoveryWindow = window);
  }

  /**
   * {@return these options with another policy for alarms}
   *
   * @param policy the new policy
   */
  public NamespaceOptions withAlarms(AlarmPolicy policy) {
    return with(draft -> draft.alarms = policy);
  }

  /**
   * {@return these options with one codec more}
   *
   * @param codec asked after those that are there already
   */
  public NamespaceOptions withCodec(Codec<?> codec) {
    List<Codec<?>> more = new ArrayList<>(codecs);
    more.add(codec);
    return with(draft -> draft.codecs = more);
  }

  /**
   * Returns these options with another consistency of the replies in a cluster. A single machine
   * takes it and behaves as before: no other node can have an object there.
   *
   * <p>The object that is called from outside all objects decides for the whole call. What this
   * object has asked others of its shard for leaves in its reply, and by its consistency.
   *
   * @param ofReplies what replies wait for; {@link Consistency#LEASE} believes the clocks of the
   *     nodes, and says what they must do
   * @return the options
   */
  public NamespaceOptions withConsistency(Consistency ofReplies) {
    return with(draft -> draft.consistency = ofReplies);
  }

  private static void requirePositive(String name, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be more than zero: " + value);
    }
  }

  private NamespaceOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that are being changed. */
  private static final class Draft {
    private StorageKind storage;
    private Duration idleTimeout;
    private int queueLengthMax;
    private Duration criticalSectionTimeout;
    private SqlLimits sqlLimits;
    private List<Migration> migrations;
    private boolean newerMigrationsAllowed;
    private Duration recoveryWindow;
    private AlarmPolicy alarms;
    private List<Codec<?>> codecs;
    private Consistency consistency;

    Draft(NamespaceOptions options) {
      storage = options.storage;
      idleTimeout = options.idleTimeout;
      queueLengthMax = options.queueLengthMax;
      criticalSectionTimeout = options.criticalSectionTimeout;
      sqlLimits = options.sqlLimits;
      migrations = options.migrations;
      newerMigrationsAllowed = options.newerMigrationsAllowed;
      recoveryWindow = options.recoveryWindow;
      alarms = options.alarms;
      codecs = options.codecs;
      consistency = options.consistency;
    }

    NamespaceOptions options() {
      return new NamespaceOptions(
          storage,
          idleTimeout,
          queueLengthMax,
          criticalSectionTimeout,
          sqlLimits,
          migrations,
          newerMigrationsAllowed,
          recoveryWindow,
          alarms,
          codecs,
          consistency);
    }
  }
}
