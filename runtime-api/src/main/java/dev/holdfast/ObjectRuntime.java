package dev.holdfast;

import dev.holdfast.codec.TypeRef;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.RuntimeStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A running set of namespaces over one data directory.
 *
 * <p>Thread-safe. Only one runtime at a time may have a data directory open.
 */
public interface ObjectRuntime extends AutoCloseable {

  /**
   * Returns a namespace that was registered when the runtime was opened.
   *
   * @param <T> the interface of the objects
   * @param name the name of the namespace
   * @param type the interface with which it was registered
   * @return the namespace
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name, or it has another
   *     interface
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

  /**
   * Returns the past of an object: its history, differences between its states, copies of them, and
   * its state as a file.
   *
   * @param namespace the name of the object's namespace
   * @param id the object
   * @return its past
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   */
  ObjectRecovery recovery(String namespace, ObjectId id);

  /** {@return the operations on single objects: evict, reset, restore and delete} */
  ObjectAdmin admin();

  /**
   * Measures the journal on the disk, with the history it keeps. May read files.
   *
   * @return the sizes
   * @throws dev.holdfast.errors.DataDirectoryException if the files cannot be read
   */
  HistoryUsage historyUsage();

  /**
   * Copies the data directory while objects are called: everything that was written before the
   * call, and nothing after one position of the journal, in a directory that opens like any data
   * directory. Of an earlier backup in the target, files that have not changed are kept, and it
   * stays whole until the new one is. A backup that was interrupted is continued by the next call.
   *
   * <p>Blocks until the backup is durable. One backup runs at a time; a second call waits. Until
   * the end the journal keeps its segments, so the disk needs room for what is written meanwhile.
   *
   * @param target the directory of the backup; created if missing. It is empty, or has backups of
   *     this data directory that were never opened
   * @return the backup
   * @throws dev.holdfast.errors.BackupException if the target is another directory, files cannot be
   *     read or written, or the runtime is closed meanwhile
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws RuntimeClosedException if the runtime is closed
   */
  Backup backup(Path target);

  /**
   * Takes a snapshot of the numbers of this runtime. Takes no lock that a call needs and touches no
   * file, so a monitor may ask each second. Answers in every state, also after a failure and after
   * the close.
   *
   * @return the numbers since the runtime was opened
   */
  RuntimeStatistics statistics();

  /**
   * Finds out whether the runtime works. Cheap enough for every second: the file system is asked at
   * most once a second. Answers also after a failure and after the close. Thread-safe.
   *
   * @return the state, and the reasons if it is not up
   */
  Health health();

  /**
   * Returns the objects that were busiest in the last one to two minutes, of all namespaces. Found
   * in bounded memory: an object with more than one in 128 of all calls is always there.
   *
   * @param count how many at most, at least 1
   * @param by what to compare
   * @return the objects, busiest first
   * @throws IllegalArgumentException if the count is not positive
   */
  List<BusyObject> busiest(int count, BusyBy by);

  /**
   * Listens to the events that objects publish in this process, in a cluster on all nodes, at most
   * once each. The events of one object arrive in the order of its turns, the events of several
   * objects concurrently.
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param type the type of the events; an event that cannot be read as this type is logged
   * @param listener receives a copy of each; called on virtual threads outside of all objects. A
   *     slow one holds up later events of the same object only. Its exceptions are logged
   * @return closes the subscription
   * @throws IllegalArgumentException if the topic is too long or empty
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @see ObjectContext#publish
   */
  <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener);

  /**
   * Listens to events of a type with arguments; see {@link #subscribe(String, Class, Consumer)}.
   *
   * <pre>{@code
   * runtime.subscribe("lines-live", new TypeRef<List<Line>>() {}, lines -> screen.show(lines));
   * }</pre>
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param type the type of the events; an event that cannot be read as this type is logged
   * @param listener receives a copy of each; called on virtual threads outside of all objects
   * @return closes the subscription
   * @throws IllegalArgumentException if the topic is too long or empty
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @see ObjectContext#publish
   */
  <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener);

  /**
   * Delivers the events of a topic with {@link ConsumerOptions#DEFAULT}; see {@link
   * #consume(String, String, Class, ConsumerOptions, EventHandler)}.
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param consumer the name of the consumer; at least one and at most 255 bytes in UTF-8
   * @param type the type of the events
   * @param handler receives them
   * @return ends the deliveries; the data directory keeps the consumer's place
   * @throws IllegalArgumentException if the topic or the name is too long or empty
   * @throws dev.holdfast.errors.ConsumerException if the consumer is cut off, or runs already
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  default <T> Subscription consume(
      String topic, String consumer, Class<T> type, EventHandler<T> handler) {
    return consume(topic, consumer, type, ConsumerOptions.DEFAULT, handler);
  }

  /**
   * Delivers the events of a topic to a consumer: each at least once, in the order of the journal,
   * from the consumer's durable place on. The place advances when the handler returns; a crash
   * repeats what was handled shortly before it. An event that cannot be handled, or cannot be read
   * as the type, holds up the later ones: nothing is skipped.
   *
   * <pre>{@code
   * runtime.consume("orders", "search-index", Order.class,
   *     events -> events.forEach(event -> index.add(event.value())));
   * }</pre>
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param consumer the name of the consumer; at least one and at most 255 bytes in UTF-8. The data
   *     directory knows it from the first call on, and keeps events for it until {@link
   *     ObjectAdmin#removeConsumer}
   * @param type the type of the events. They are read with the codecs of the namespace whose object
   *     has emitted them
   * @param options how it receives them
   * @param handler receives them
   * @return ends the deliveries; the data directory keeps the consumer's place
   * @throws IllegalArgumentException if the topic or the name is too long or empty
   * @throws dev.holdfast.errors.ConsumerException if the consumer is cut off, or runs already
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @see ObjectContext#emit
   */
  <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions options,
      EventHandler<T> handler);

  /**
   * Delivers events of a type with arguments, with {@link ConsumerOptions#DEFAULT}; see {@link
   * #consume(String, String, Class, ConsumerOptions, EventHandler)}.
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param consumer the name of the consumer; at least one and at most 255 bytes in UTF-8
   * @param type the type of the events
   * @param handler receives them
   * @return ends the deliveries; the data directory keeps the consumer's place
   * @throws IllegalArgumentException if the topic or the name is too long or empty
   * @throws dev.holdfast.errors.ConsumerException if the consumer is cut off, or runs already
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  default <T> Subscription consume(
      String topic, String consumer, TypeRef<T> type, EventHandler<T> handler) {
    return consume(topic, consumer, type, ConsumerOptions.DEFAULT, handler);
  }

  /**
   * Delivers events of a type with arguments; see {@link #consume(String, String, Class,
   * ConsumerOptions, EventHandler)}.
   *
   * @param <T> the type of the events
   * @param topic the topic; at least one and at most 255 bytes in UTF-8
   * @param consumer the name of the consumer; at least one and at most 255 bytes in UTF-8
   * @param type the type of the events
   * @param options how it receives them
   * @param handler receives them
   * @return ends the deliveries; the data directory keeps the consumer's place
   * @throws IllegalArgumentException if the topic or the name is too long or empty
   * @throws dev.holdfast.errors.ConsumerException if the consumer is cut off, or runs already
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws RuntimeClosedException if the runtime is closed or closing
   */
  <T> Subscription consume(
      String topic,
      String consumer,
      TypeRef<T> type,
      ConsumerOptions options,
      EventHandler<T> handler);

  /**
   * Closes the runtime in order: refuses new calls, lets running and waiting calls finish, makes
   * their writes durable, updates the storage files and releases the directory.
   *
   * <p>Calls that arrive meanwhile fail with {@link RuntimeClosedException}. Calls that still run
   * after {@link RuntimeOptions#closeTimeout} are interrupted and fail with {@link
   * InstanceResetException}. A second close waits for the first one and does nothing else.
   *
   * @throws dev.holdfast.errors.JournalFailedException if the last sync fails; or if the journal
   *     had failed before, and unconfirmed writes are lost that were acknowledged. The directory is
   *     released nevertheless, and all confirmed writes are there at the next opening
   * @throws IllegalStateException if an object of this runtime calls: close would wait for it
   */
  @Override
  void close();
}
