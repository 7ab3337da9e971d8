package dev.holdfast.simulation;

import dev.holdfast.AlarmOptions;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.OperatorOperation;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.filter.CallFilter;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.OutgoingCall;
import dev.holdfast.filter.OutgoingFilter;
import dev.holdfast.simulation.HoldfastControl.Inside;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The application's registration, seen through: it knows the interfaces and the instances, and lets
 * code of the test run in an object. Such code travels as a call of any method with a header; a
 * filter in the object runs it instead of the method.
 */
final class Registered implements Consumer<ObjectRegistrar> {

  private static final String HEADER = "x-holdfast-inside";

  private final Consumer<ObjectRegistrar> objects;
  private final UnaryOperator<RuntimeOptions> seenOptions;
  private final Map<String, Class<?>> types = new LinkedHashMap<>();
  private final Map<String, Object> instances = new ConcurrentHashMap<>();

  /** What the thread of the test runs inside of an object, while it calls. */
  private static final ThreadLocal<@Nullable Code> ASKED = new ThreadLocal<>();

  private final Map<String, Code> travelling = new ConcurrentHashMap<>();

  Registered(Consumer<ObjectRegistrar> objects) {
    this(objects, UnaryOperator.identity());
  }

  private Registered(Consumer<ObjectRegistrar> objects, UnaryOperator<RuntimeOptions> seenOptions) {
    this.objects = objects;
    this.seenOptions = seenOptions;
  }

  /** {@return a registration whose objects are treated as a cluster would} */
  static Registered withShardRules(Consumer<ObjectRegistrar> objects) {
    return new Registered(objects, options -> options.withShardRules(true));
  }

  private static final class Code {
    private final Inside<Object, ? extends @Nullable Object> inside;
    private volatile @Nullable Object result;
    private volatile @Nullable Throwable failure;

    Code(Inside<Object, ? extends @Nullable Object> inside) {
      this.inside = inside;
    }
  }

  @Override
  public void accept(ObjectRegistrar registrar) {
    types.clear();
    instances.clear();
    registrar.options(seenOptions.apply(RuntimeOptions.DEFAULT));
    objects.accept(new Recorder(registrar));
    registrar.outgoing(this::send);
    registrar.filter((CallFilter) this::deliver);
  }

  Map<String, Class<?>> types() {
    return Map.copyOf(types);
  }

  // The instance of a namespace of T is a T; R says itself whether it may be null.
  @SuppressWarnings({"unchecked", "NullAway"})
  <T, R extends @Nullable Object> R inObject(
      ObjectNamespace<T> namespace, ObjectId id, Inside<T, R> inside) {
    Class<?> type = types.get(namespace.name());
    if (type == null) {
      throw new IllegalArgumentException("No namespace has the name " + namespace.name());
    }
    Code code = new Code((Inside<Object, R>) inside);
    ASKED.set(code);
    try {
      callAnything(namespace.get(id), type);
    } finally {
      ASKED.remove();
    }
    switch (code.failure) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null -> {}
      case Throwable e -> throw new IllegalStateException("The code in the object failed", e);
    }
    return (R) code.result;
  }

  private static void callAnything(Object stub, Class<?> type) {
    Method method =
        Arrays.stream(type.getMethods())
            .filter(each -> Modifier.isAbstract(each.getModifiers()))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException(type.getName() + " has no method to call"));
    Object[] arguments =
        Arrays.stream(method.getParameterTypes()).map(Registered::nothing).toArray();
    try {
      method.setAccessible(true);
      method.invoke(stub, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException("The object could not be called", e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(type.getName() + " cannot be called by the test", e);
    }
  }

  /** A value of any type, for a parameter or result that nobody reads. */
  private static @Nullable Object nothing(Class<?> type) {
    return type.isPrimitive() && type != void.class
        ? Array.get(Array.newInstance(type, 1), 0)
        : null;
  }

  private @Nullable Object send(OutgoingCall call) throws Throwable {
    Code code = ASKED.get();
    if (code == null) {
      return call.proceed();
    }
    ASKED.remove();
    String key = Integer.toHexString(System.identityHashCode(code));
    travelling.put(key, code);
    try {
      return call.proceed(call.headers().with(HEADER, key));
    } finally {
      travelling.remove(key);
    }
  }

  private @Nullable Object deliver(DeliveredCall call) throws Throwable {
    Code code = call.headers().get(HEADER).map(travelling::get).orElse(null);
    if (code == null) {
      return call.proceed();
    }
    Object instance = Objects.requireNonNull(instances.get(call.namespace() + "/" + call.id()));
    try {
      code.result = code.inside.run(instance, call.storage());
    } catch (Exception | AssertionError e) {
      code.failure = e;
    }
    Class<?> type = Objects.requireNonNull(types.get(call.namespace()));
    for (Method each : type.getMethods()) {
      if (each.getName().equals(call.operation())) {
        return nothing(each.getReturnType());
      }
    }
    return null;
  }

  /** Notes what passes. */
  private final class Recorder implements ObjectRegistrar {

    private final ObjectRegistrar registrar;

    Recorder(ObjectRegistrar registrar) {
      this.registrar = registrar;
    }

    @Override
    public <T> ObjectRegistrar namespace(
        String name, Class<T> type, ObjectFactory<? extends T> factory, NamespaceOptions options) {
      types.put(name, type);
      registrar.namespace(name, type, context -> noted(name, factory, context), options);
      return this;
    }

    private <T> T noted(String name, ObjectFactory<? extends T> factory, ObjectContext context)
        throws Exception {
      T made = factory.create(context);
      if (made != null) {
        instances.put(name + "/" + context.id(), made);
      }
      return made;
    }

    @Override
    public ObjectRegistrar options(RuntimeOptions options) {
      registrar.options(seenOptions.apply(options));
      return this;
    }

    @Override
    public ObjectRegistrar alarms(AlarmOptions options) {
      registrar.alarms(options);
      return this;
    }

    @Override
    public ObjectRegistrar filter(CallFilter filter) {
      registrar.filter(filter);
      return this;
    }

    @Override
    public ObjectRegistrar filter(String namespace, CallFilter filter) {
      registrar.filter(namespace, filter);
      return this;
    }

    @Override
    public ObjectRegistrar outgoing(OutgoingFilter filter) {
      registrar.outgoing(filter);
      return this;
    }

    @Override
    public ObjectRegistrar outgoing(String namespace, OutgoingFilter filter) {
      registrar.outgoing(namespace, filter);
      return this;
    }

    @Override
    public ObjectRegistrar carrier(ContextCarrier<?> carrier) {
      registrar.carrier(carrier);
      return this;
    }

    @Override
    public ObjectRegistrar operation(String name, OperatorOperation operation) {
      registrar.operation(name, operation);
      return this;
    }

    @Override
    public ObjectRegistrar freshThreads() {
      registrar.freshThreads();
      return this;
    }
  }
}
