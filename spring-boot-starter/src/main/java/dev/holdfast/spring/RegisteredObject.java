package dev.holdfast.spring;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.sql.SqlMigration;
import java.lang.System.Logger.Level;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.beans.factory.support.ScopeNotActiveException;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * A class with {@link DurableObject}.
 *
 * @param namespace the name
 * @param type the interface of its callers
 * @param objectClass the class
 * @param storage the engine that the annotation names
 */
record RegisteredObject(
    String namespace, Class<?> type, Class<?> objectClass, StorageKind storage) {

  private static final System.Logger LOGGER = System.getLogger("dev.holdfast");

  /** Simple names, so that classes need not be present: of Spring, and of Jakarta. */
  private static final Set<String> OF_BEANS =
      Set.of(
          "Async",
          "Autowired",
          "Component",
          "EventListener",
          "Inject",
          "PostConstruct",
          "PreDestroy",
          "Resource",
          "Scheduled",
          "Scope",
          "Transactional",
          "Value");

  /** Reads the annotation. */
  static RegisteredObject of(Class<?> objectClass) {
    DurableObject mark = objectClass.getAnnotation(DurableObject.class);
    return new RegisteredObject(
        mark.value(),
        mark.type() == void.class ? onlyInterface(objectClass) : mark.type(),
        objectClass,
        StorageKind.of(mark.storage()));
  }

  private static Class<?> onlyInterface(Class<?> objectClass) {
    List<Class<?>> own =
        Arrays.stream(objectClass.getInterfaces())
            .filter(each -> each != AlarmHandler.class)
            .filter(each -> !each.getName().startsWith("java."))
            .<Class<?>>map(each -> each)
            .toList();
    if (own.size() != 1) {
      throw new IllegalStateException(
          "@DurableObject "
              + objectClass.getName()
              + " must implement one interface for its callers, or name it with type = ...; it"
              + " implements "
              + own.stream().map(Class::getName).toList());
    }
    return own.getFirst();
  }

  void register(
      ObjectRegistrar objects,
      NamespaceOptions options,
      List<SqlMigration> migrations,
      AutowireCapableBeanFactory beans) {
    List<String> ignored = ignoredAnnotations();
    if (!ignored.isEmpty()) {
      LOGGER.log(
          Level.WARNING,
          "@DurableObject "
              + objectClass.getName()
              + " is not a bean: Spring does nothing for "
              + String.join(", ", ignored)
              + ". Take beans in the constructor; use alarms for what is scheduled, and"
              + " CallFilter.rollbackOnException() to undo the writes of a call that throws.");
    }
    NamespaceOptions all = migrations.isEmpty() ? options : options.withMigrations(migrations);
    register(objects, type, all, beans);
  }

  /** {@return annotations of the class that have an effect on beans only, with their places} */
  List<String> ignoredAnnotations() {
    List<String> found = new ArrayList<>();
    for (Class<?> each = objectClass;
        each != null && each != Object.class;
        each = each.getSuperclass()) {
      add(found, each, each.getSimpleName());
      for (Field field : each.getDeclaredFields()) {
        add(found, field, each.getSimpleName() + "." + field.getName());
      }
      for (Method method : each.getDeclaredMethods()) {
        add(found, method, each.getSimpleName() + "." + method.getName() + "()");
      }
    }
    return found;
  }

  private static void add(List<String> found, AnnotatedElement element, String place) {
    MergedAnnotations.from(element).stream()
        .map(each -> each.getType().getSimpleName())
        .filter(OF_BEANS::contains)
        .forEach(name -> found.add("@" + name + " " + place));
  }

  private <T> void register(
      ObjectRegistrar objects,
      Class<T> callers,
      NamespaceOptions options,
      AutowireCapableBeanFactory beans) {
    Constructor<? extends T> constructor = constructor(objectClass.asSubclass(callers));
    ObjectFactory<T> factory = context -> create(constructor, context, beans);
    objects.namespace(namespace, callers, factory, options);
  }

  private <T> T create(
      Constructor<? extends T> constructor, ObjectContext context, AutowireCapableBeanFactory beans)
      throws Exception {
    Class<?>[] types = constructor.getParameterTypes();
    @Nullable Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] =
          types[i] == ObjectContext.class
              ? context
              // Resolved each time: a bean may be of another scope than singleton.
              : beans.resolveDependency(dependency(constructor, i), namespace);
    }
    try {
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case Exception cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    }
  }

  /**
   * Resolves what the constructor needs, as each creation does, so that a missing bean ends the
   * start and not the first call.
   *
   * @throws UnsatisfiedDependencyException if a bean is missing, is not the only one, or fails
   */
  void requireBeans(AutowireCapableBeanFactory beans) {
    Constructor<?> constructor = constructor(objectClass);
    Class<?>[] types = constructor.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      if (types[i] != ObjectContext.class) {
        DependencyDescriptor needed = dependency(constructor, i);
        try {
          beans.resolveDependency(needed, namespace);
        } catch (ScopeNotActiveException _) {
          // The bean exists; a start is not a request.
        } catch (BeansException e) {
          throw new UnsatisfiedDependencyException(null, namespace, needed, e);
        }
      }
    }
  }

  private static DependencyDescriptor dependency(Constructor<?> constructor, int parameter) {
    return new DependencyDescriptor(new MethodParameter(constructor, parameter), true);
  }

  private static <T> Constructor<? extends T> constructor(Class<? extends T> objectClass) {
    @SuppressWarnings("unchecked") // the constructors of Class<X> are Constructor<X>
    Constructor<? extends T>[] all =
        (Constructor<? extends T>[]) objectClass.getDeclaredConstructors();
    Constructor<? extends T> chosen = null;
    for (Constructor<? extends T> each : all) {
      if (all.length == 1 || each.isAnnotationPresent(Autowired.class)) {
        chosen = each;
      }
    }
    if (chosen == null) {
      throw new IllegalStateException(
          "@DurableObject "
              + objectClass.getName()
              + " has "
              + all.length
              + " constructors: mark one with @Autowired");
    }
    chosen.setAccessible(true);
    return chosen;
  }
}
