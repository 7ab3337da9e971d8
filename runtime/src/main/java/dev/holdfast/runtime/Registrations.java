package dev.holdfast.runtime;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.OperatorOperation;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.storage.NamespaceValues;
import dev.holdfast.runtime.internal.stub.Passing;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The namespaces that an application registers. Owned by the thread that opens the runtime. */
final class Registrations implements ObjectRegistrar {

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}");

  /** Part of the names of the files beside the directories of namespaces. */
  private static final String FILE_SUFFIX = ".sqlite";

  /** Results that would continue in the object after its reply, so they cannot be copied. */
  private static final List<Class<?>> LIVE =
      List.of(CompletionStage.class, Future.class, BaseStream.class, Iterator.class);

  private final SequencedMap<String, Registration<?>> byName = new LinkedHashMap<>();
  private RuntimeOptions options = RuntimeOptions.DEFAULT;
  private AlarmOptions alarms = AlarmOptions.DEFAULT;
  private final List<Scoped<CallFilter>> filters = new ArrayList<>();
  private final List<Scoped<OutgoingFilter>> outgoing = new ArrayList<>();
  private final List<ContextCarrier<?>> carriers = new ArrayList<>();
  private final Map<String, OperatorOperation> operations = new LinkedHashMap<>();
  private boolean freshThreads;

  /** Interfaces of arguments and results, with the error if they are of no namespace. */
  private final SequencedMap<Class<?>, IllegalArgumentException> interfaces = new LinkedHashMap<>();

  /** Set when the application has registered everything. */
  private boolean isComplete;

  /**
   * One namespace.
   *
   * @param <T> the interface of its objects
   */
  record Registration<T>(
      String name,
      Class<T> type,
      ObjectFactory<? extends T> factory,
      NamespaceOptions options,
      StructuredClone values) {}

  /**
   * A filter.
   *
   * @param namespace that it is for; null for all
   */
  private record Scoped<F>(@Nullable String namespace, F filter) {

    boolean isFor(String name) {
      return namespace == null || namespace.equals(name);
    }
  }

  @Override
  public <T> ObjectRegistrar namespace(
      String name, Class<T> type, ObjectFactory<? extends T> factory, NamespaceOptions options) {
    requireOpening("The namespace \"" + name + "\"");
    add(name, type, factory, options);
    return this;
  }

  /** {@return how the values of a namespace are stored, also of one that is not registered} */
  StructuredClone valuesOf(String namespace) {
    Registration<?> known = byName.get(namespace);
    return known == null ? StructuredClone.standard() : known.values();
  }

  private void requireOpening(String what) {
    if (isComplete) {
      throw new IllegalStateException(
          what
              + " comes too late: the runtime is open. Register everything in the function that is"
              + " given to Holdfast.open.");
    }
  }

  /** Adds a namespace, also one that operators open without the application. */
  <T> void add(
      String name, Class<T> type, ObjectFactory<? extends T> factory, NamespaceOptions options) {
    requireName(name);
    InterfaceRules.check(name, type);
    StructuredClone values = NamespaceValues.with(options.codecs());
    requireValues(type, values);
    requireParts(name, factory, options);
    Registration<T> added = new Registration<>(name, type, factory, options, values);
    if (byName.putIfAbsent(name, added) != null) {
      throw new NamespaceException(
          name, "The namespace \"" + name + "\" is already registered; register it once.");
    }
  }

  /**
   * Refused at registration: at the first call it would be too late, the object's code would have
   * run.
   */
  private void requireValues(Class<?> type, StructuredClone values) {
    for (Method method : type.getMethods()) {
      if (Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      for (Class<?> live : LIVE) {
        if (live.isAssignableFrom(method.getReturnType())) {
          throw new IllegalArgumentException(
              type.getName()
                  + "."
                  + method.getName()
                  + " returns a "
                  + method.getReturnType().getName()
                  + ", which cannot leave an object. Return a value: the object waits for a stage"
                  + " with ObjectContext.await and collects a stream into a list; a caller that"
                  + " must not wait uses ObjectStub.async.");
        }
      }
      requirePassed(type, method, values);
    }
  }

  /**
   * A type whose values another node could not read would be found out at the first call there, or
   * when a result has been made already.
   */
  private void requirePassed(Class<?> type, Method method, StructuredClone values) {
    Passing[] arguments = Passing.ofArguments(values, type, method);
    for (int i = 0; i < arguments.length; i++) {
      requirePassed(method, "argument " + (i + 1), arguments[i]);
    }
    requirePassed(method, "result", Passing.ofResult(values, type, method));
  }

  private void requirePassed(Method method, String place, Passing passing) {
    CloneException refusal = passing.refusal();
    if (refusal == null) {
      return;
    }
    IllegalArgumentException refused =
        new IllegalArgumentException(
            method.getDeclaringClass().getName()
                + "."
                + method.getName()
                + " could not be called, "
                + place
                + ": "
                + refusal.getMessage()
                + "; or give the namespace a codec for it (NamespaceOptions.withCodec)",
            refusal);
    if (!passing.declared().isInterface()) {
      throw refused;
    }
    // Of a namespace that is registered later, perhaps: its stubs are passed.
    interfaces.putIfAbsent(passing.declared(), refused);
  }

  private static void requireParts(
      String name, ObjectFactory<?> factory, NamespaceOptions options) {
    Objects.requireNonNull(factory, () -> "The namespace \"" + name + "\" has no factory.");
    if (!options.storage().equals(StorageKind.SQLITE) && !options.migrations().isEmpty()) {
      throw new NamespaceException(
          name,
          "The namespace \""
              + name
              + "\" has migrations, but its storage "
              + options.storage()
              + " has no SQL. Register it with SQLITE, or without migrations.");
    }
  }

  private void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new NamespaceException(
          name,
          "A namespace's name has 1 to 64 characters of a-z A-Z 0-9 . _ - and begins with a"
              + " letter or a digit: \""
              + name
              + "\"");
    }
    if (name.toLowerCase(Locale.ROOT).contains(FILE_SUFFIX)) {
      throw new NamespaceException(
          name,
          "A namespace's name must not contain \""
              + FILE_SUFFIX
              + "\": its directory could have the name of a file that Holdfast makes: \""
              + name
              + "\"");
    }
    for (String other : byName.keySet()) {
      if (other.equalsIgnoreCase(name) && !other.equals(name)) {
        throw new NamespaceException(
            name,
            "The namespaces \""
                + other
                + "\" and \""
                + name
                + "\" differ in upper and lower case only; on some file systems they would be one"
                + " directory. Rename one of them.");
      }
    }
  }

  @Override
  public ObjectRegistrar options(RuntimeOptions changed) {
    requireOpening("A change of the options");
    options = changed;
    return this;
  }

  /** {@return whether the objects of a namespace can be restored to an earlier state} */
  boolean keepsHistory(String namespace) {
    Registration<?> registration = byName.get(namespace);
    return registration == null || !registration.options().recoveryWindow().isZero();
  }

  @Override
  public ObjectRegistrar alarms(AlarmOptions changed) {
    requireOpening("A change of the options of alarms");
    alarms = changed;
    return this;
  }

  @Override
  public ObjectRegistrar filter(CallFilter filter) {
    requireOpening("A filter");
    filters.add(new Scoped<>(null, Objects.requireNonNull(filter, "filter")));
    return this;
  }

  @Override
  public ObjectRegistrar filter(String namespace, CallFilter filter) {
    requireOpening("A filter");
    filters.add(new Scoped<>(namespace, Objects.requireNonNull(filter, "filter")));
    return this;
  }

  @Override
  public ObjectRegistrar outgoing(OutgoingFilter filter) {
    requireOpening("A filter");
    outgoing.add(new Scoped<>(null, Objects.requireNonNull(filter, "filter")));
    return this;
  }

  @Override
  public ObjectRegistrar outgoing(String namespace, OutgoingFilter filter) {
    requireOpening("A filter");
    outgoing.add(new Scoped<>(namespace, Objects.requireNonNull(filter, "filter")));
    return this;
  }

  @Override
  public ObjectRegistrar carrier(ContextCarrier<?> carrier) {
    requireOpening("A carrier");
    carriers.add(Objects.requireNonNull(carrier, "carrier"));
    return this;
  }

  @Override
  public ObjectRegistrar operation(String name, OperatorOperation operation) {
    requireOpening("The operation \"" + name + "\"");
    Objects.requireNonNull(operation, "operation");
    if (operations.putIfAbsent(name, operation) != null) {
      throw new IllegalArgumentException(
          "The operation \"" + name + "\" is already registered; register it once.");
    }
    return this;
  }

  /** {@return the operations of the application for operators, by name} */
  Map<String, OperatorOperation> operations() {
    return operations;
  }

  @Override
  public ObjectRegistrar freshThreads() {
    requireOpening("A change of the threads");
    freshThreads = true;
    return this;
  }

  /** {@return whether each call has a separate thread} */
  boolean hasFreshThreads() {
    return freshThreads;
  }

  /**
   * Ends the registration by the application, and checks the namespaces of the filters. What is
   * registered later would be missing in the runtime without a word.
   */
  void complete() {
    isComplete = true;
    for (Registration<?> each : byName.values()) {
      interfaces.remove(each.type());
    }
    if (!interfaces.isEmpty()) {
      throw interfaces.firstEntry().getValue();
    }
    Stream.concat(filters.stream(), outgoing.stream())
        .map(Scoped::namespace)
        .filter(name -> name != null && !byName.containsKey(name))
        .findFirst()
        .ifPresent(
            name -> {
              throw new NamespaceException(
                  name,
                  "A filter is for the namespace \""
                      + name
                      + "\", which is not registered; there are "
                      + byName.keySet()
                      + ".");
            });
  }

  /**
   * {@return the filters around the calls of a namespace; null if the runtime has none at all, and
   * no carriers}
   */
  @Nullable Filters filters(String namespace) {
    return filters.isEmpty() && outgoing.isEmpty() && carriers.isEmpty()
        ? null
        : new Filters(of(filters, namespace), of(outgoing, namespace), carriers);
  }

  CarriedCalls carriedCalls() {
    return new CarriedCalls(carriers);
  }

  private static <F> List<F> of(List<Scoped<F>> all, String namespace) {
    return all.stream().filter(each -> each.isFor(namespace)).map(Scoped::filter).toList();
  }

  AlarmOptions alarms() {
    return alarms;
  }

  RuntimeOptions options() {
    return options;
  }

  Map<String, Registration<?>> byName() {
    return byName;
  }
}
