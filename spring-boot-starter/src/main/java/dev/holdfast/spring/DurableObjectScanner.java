package dev.holdfast.spring;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.ResourceLoaderAware;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/**
 * Finds the classes with {@link DurableObject} below the packages of the application, and defines
 * beans: a {@link RegisteredObject} and an {@link ObjectNamespace} for each.
 */
final class DurableObjectScanner
    implements ImportBeanDefinitionRegistrar,
        BeanFactoryAware,
        EnvironmentAware,
        ResourceLoaderAware {

  private @Nullable BeanFactory beans;
  private @Nullable Environment environment;
  private @Nullable ResourceLoader resources;

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    beans = beanFactory;
  }

  @Override
  public void setEnvironment(Environment given) {
    environment = given;
  }

  @Override
  public void setResourceLoader(ResourceLoader resourceLoader) {
    resources = resourceLoader;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    BeanFactory factory = Objects.requireNonNull(beans);
    if (!AutoConfigurationPackages.has(factory)) {
      return;
    }
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false, Objects.requireNonNull(environment));
    ResourceLoader loader = Objects.requireNonNull(resources);
    scanner.setResourceLoader(loader);
    scanner.addIncludeFilter(new AnnotationTypeFilter(DurableObject.class));
    Map<String, Class<?>> found = new LinkedHashMap<>();
    for (String each : AutoConfigurationPackages.get(factory)) {
      for (BeanDefinition candidate : scanner.findCandidateComponents(each)) {
        String name = Objects.requireNonNull(candidate.getBeanClassName());
        Class<?> objectClass = ClassUtils.resolveClassName(name, loader.getClassLoader());
        define(RegisteredObject.of(objectClass), registry, factory, found);
      }
    }
  }

  private static void define(
      RegisteredObject object,
      BeanDefinitionRegistry registry,
      BeanFactory factory,
      Map<String, Class<?>> found) {
    Class<?> other = found.putIfAbsent(object.namespace(), object.objectClass());
    if (other != null) {
      throw new IllegalStateException(
          "Two classes with @DurableObject(\"%s\"): %s and %s. Give one another name"
              .formatted(object.namespace(), other.getName(), object.objectClass().getName()));
    }
    RootBeanDefinition registered = new RootBeanDefinition(RegisteredObject.class);
    registered.setInstanceSupplier(() -> object);
    registered.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
    registry.registerBeanDefinition("holdfast." + object.namespace(), registered);

    RootBeanDefinition namespace = new RootBeanDefinition();
    namespace.setTargetType(
        ResolvableType.forClassWithGenerics(ObjectNamespace.class, object.type()));
    namespace.setInstanceSupplier(
        () -> factory.getBean(ObjectRuntime.class).namespace(object.namespace(), object.type()));
    namespace.setLazyInit(true);
    registry.registerBeanDefinition(object.namespace() + "Namespace", namespace);
  }
}
