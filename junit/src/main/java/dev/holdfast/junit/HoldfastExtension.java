package dev.holdfast.junit;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.simulation.HoldfastControl;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Opens and closes the runtimes of {@link HoldfastTest}. */
final class HoldfastExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

  private static final Namespace STORE = Namespace.create(HoldfastExtension.class);
  private static final Set<Class<?>> PARAMETERS =
      Set.of(HoldfastControl.class, ObjectNamespace.class, ObjectRuntime.class, VirtualClock.class);

  /** For JUnit. */
  HoldfastExtension() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    control(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    HoldfastControl control =
        context.getStore(STORE).remove(HoldfastControl.class, HoldfastControl.class);
    if (control != null) {
      control.close();
    }
  }

  /** Parameters of constructors and of methods before each test come first. */
  private static HoldfastControl control(ExtensionContext context) {
    HoldfastControl control =
        context.getStore(STORE).get(HoldfastControl.class, HoldfastControl.class);
    if (control == null) {
      control = open(context);
      context.getStore(STORE).put(HoldfastControl.class, control);
    }
    return control;
  }

  private static HoldfastControl open(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    Consumer<ObjectRegistrar> objects = registration(test);
    HoldfastTest mark = markOf(test);
    return HoldfastControl.open(
        objects, mark.value() == HoldfastTest.Mode.FILES, mark.shardRules());
  }

  private static HoldfastTest markOf(Class<?> test) {
    for (Class<?> each = test; each != null; each = each.getEnclosingClass()) {
      Optional<HoldfastTest> mark = AnnotationSupport.findAnnotation(each, HoldfastTest.class);
      if (mark.isPresent()) {
        return mark.get();
      }
    }
    throw new ExtensionConfigurationException(test.getName() + " has no @HoldfastTest");
  }

  private static Consumer<ObjectRegistrar> registration(Class<?> test) {
    for (Class<?> outer = test; outer != null; outer = outer.getEnclosingClass()) {
      for (Class<?> each = outer; each != null; each = each.getSuperclass()) {
        for (Method method : each.getDeclaredMethods()) {
          if (method.isAnnotationPresent(RegisterObjects.class)) {
            return registration(method);
          }
        }
      }
    }
    throw new ExtensionConfigurationException(
        test.getName()
            + " registers no objects: give it a method \"@RegisterObjects static void"
            + " objects(ObjectRegistrar objects)\"");
  }

  private static Consumer<ObjectRegistrar> registration(Method method) {
    if (!Modifier.isStatic(method.getModifiers())
        || !Arrays.equals(method.getParameterTypes(), new Class<?>[] {ObjectRegistrar.class})) {
      throw new ExtensionConfigurationException(
          method + " must be static and take an ObjectRegistrar, because of @RegisterObjects");
    }
    method.setAccessible(true);
    return registrar -> {
      try {
        method.invoke(null, registrar);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw new ExtensionConfigurationException(method + " failed", e.getCause());
      } catch (IllegalAccessException e) {
        throw new ExtensionConfigurationException(method + " cannot be called", e);
      }
    };
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return PARAMETERS.contains(parameter.getParameter().getType())
        && context.getTestMethod().isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    HoldfastControl control = control(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == HoldfastControl.class) {
      return control;
    }
    if (type == VirtualClock.class) {
      return control.clock();
    }
    return type == ObjectRuntime.class
        ? control.runtime()
        : namespace(parameter.getParameter(), control);
  }

  private static ObjectNamespace<?> namespace(Parameter parameter, HoldfastControl control) {
    Type asked =
        parameter.getParameterizedType() instanceof ParameterizedType full
            ? full.getActualTypeArguments()[0]
            : Object.class;
    List<String> names =
        control.types().entrySet().stream()
            .filter(each -> each.getValue().equals(asked))
            .map(Map.Entry::getKey)
            .toList();
    String name =
        names.size() == 1
            ? names.getFirst()
            : names.stream().filter(parameter.getName()::equals).findFirst().orElse(null);
    if (name == null) {
      throw new ParameterResolutionException(
          "Which namespace is "
              + parameter
              + "? "
              + (names.isEmpty()
                  ? "None has objects of that interface; there are " + control.types()
                  : "Name the parameter as one of " + names + ", and compile with -parameters"));
    }
    return control.namespace(name, Objects.requireNonNull(control.types().get(name)));
  }
}
