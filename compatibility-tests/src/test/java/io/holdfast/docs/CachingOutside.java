package io.holdfast.docs;

import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Configuration;

// snippet: caching-outside
@Configuration(proxyBeanMethods = false)
@EnableCaching(order = 0)
class CachingOutside {

}
// end
