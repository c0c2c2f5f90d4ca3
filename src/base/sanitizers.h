/* Which sanitizers this file is compiled with: they watch memory themselves, and our own care must not hide it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_SANITIZERS_H
#define TS_BASE_SANITIZERS_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define TS_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TS_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef TS_HAS_ADDRESS_SANITIZER
#define TS_HAS_ADDRESS_SANITIZER 0
#endif

#endif
