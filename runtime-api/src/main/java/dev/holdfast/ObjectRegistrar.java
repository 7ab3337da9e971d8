package dev.holdfast;

import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.OutgoingFilter;

/** Registers the namespaces of a runtime before it opens. Not thread-safe. */
public interface ObjectRegistrar {

  /**
   * Registers a namespace with default options: SQLite storage.
   *
   * @param <T> the interface of the objects
   * @param name 1 to 64 characters out of {@code a-z A-Z 0-9 . _ -}, beginning with a letter or a
   *     digit. It is part of every id of the namespace and of file names, so it can never change.
   *     It does not contain {@code .sqlite}, and does not differ from another name in case alone
   * @param type the interface of its objects; public, or at least accessible to the runtime. Its
   *     methods return values, not stages, futures, streams or iterators
   * @param factory creates the instances
   * @return this
   * @throws dev.holdfast.errors.NamespaceException if the name is malformed or already registered,
   *     or the interface is not accessible or has a suspend function of Kotlin
   * @throws IllegalArgumentException if {@code type} is not an interface or is sealed, or one of
   *     its methods returns a type that cannot leave the object, or has an argument or a result of
   *     a type that cannot be copied
   * @throws IllegalStateException if the runtime is open
   */
  default <T> ObjectRegistrar namespace(
      String name, Class<T> type, ObjectFactory<? extends T> factory) {
    return namespace(name, type, factory, NamespaceOptions.DEFAULT);
  }

  /**
   * Registers a namespace.
   *
   * @param <T> the interface of the objects
   * @param name as in {@link #namespace(String, Class, ObjectFactory)}
   * @param type the interface of its objects
   * @param factory creates the instances
   * @param options what differs from the defaults
   * @return this
   * @throws dev.holdfast.errors.NamespaceException if the name is malformed or already registered,
   *     the interface is not accessible or has a suspend function of Kotlin, or the options have
   *     migrations and a storage without SQL
   * @throws IllegalArgumentException if {@code type} is not an interface or is sealed, or one of
   *     its methods returns a type that cannot leave the object, or has an argument or a result of
   *     a type that cannot be copied
   * @throws IllegalStateException if the runtime is open
   */
  <T> ObjectRegistrar namespace(
      String name, Class<T> type, ObjectFactory<? extends T> factory, NamespaceOptions options);

  /**
   * Sets the options of the whole runtime; the last call counts.
   *
   * @param options what differs from the defaults
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar options(RuntimeOptions options);

  /**
   * Sets how the runtime fires alarms; the last call counts.
   *
   * @param options what differs from the defaults
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar alarms(AlarmOptions options);

  /**
   * Adds a filter around the calls and alarms that all objects receive. Filters run in the order in
   * which they are added, the first one outermost, whether they are for all namespaces or for one.
   *
   * @param filter shared by all objects
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar filter(CallFilter filter);

  /**
   * Adds a filter around the calls and alarms that the objects of one namespace receive.
   *
   * @param namespace its name; it may be registered later
   * @param filter shared by the objects of the namespace
   * @return this
   * @throws dev.holdfast.errors.NamespaceException when the runtime opens, if no namespace has this
   *     name
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar filter(String namespace, CallFilter filter);

  /**
   * Adds a filter around the calls that are made with stubs of this runtime, by objects and others.
   * Outgoing filters run in the order in which they are added, the first one outermost.
   *
   * @param filter shared by all callers
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar outgoing(OutgoingFilter filter);

  /**
   * Adds a filter around the calls that are made of the objects of one namespace.
   *
   * @param namespace its name; it may be registered later
   * @param filter shared by all callers
   * @return this
   * @throws dev.holdfast.errors.NamespaceException when the runtime opens, if no namespace has this
   *     name
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar outgoing(String namespace, OutgoingFilter filter);

  /**
   * Adds a carrier: what it takes where a call is made is set where the call runs, whatever thread
   * that is. Carriers are asked in the order in which they are added. Without one, nothing of the
   * caller's thread reaches the object but what it inherits by chance.
   *
   * @param carrier shared by all calls of the runtime
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar carrier(ContextCarrier<?> carrier);

  /**
   * Adds an operation for operators. Other processes of the same user request it by its name
   * through the socket of {@link RuntimeOptions#operatorSocket}; without the socket it is never
   * called. The socket logs each request with the arguments {@code method} and {@code path}, if it
   * has them, and with no other.
   *
   * @param name its name
   * @param operation the operation
   * @return this
   * @throws IllegalArgumentException if there is an operation with this name
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar operation(String name, OperatorOperation operation);

  /**
   * Runs each call on a new virtual thread, for tests: object code that relies on its caller's
   * thread-locals, scoped values or locks fails at once, and not only when an object is busy. Costs
   * a thread and two changes of threads for each call. The failure of an asynchronous call has the
   * stack of the code that made the call, as a suppressed exception, which costs a stack trace for
   * each such call; the turn of a blocking call always has it if the call ran on another thread.
   *
   * @return this
   * @throws IllegalStateException if the runtime is open
   */
  ObjectRegistrar freshThreads();
}
